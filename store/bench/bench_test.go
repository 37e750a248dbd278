package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOperations runs every exercise on a small graph, so that none is found
// out of date on the day of a long measurement.
func TestOperations(t *testing.T) {
	b := &bench{settings: settings{sizes: []int{2000, 4000}, edges: 3, turns: 1, out: filepath.Join(t.TempDir(), "report.md")}, ctx: t.Context(), dir: t.TempDir(), stores: map[string]*fixture{}}
	defer failed(t)
	b.measureOperations()
	for _, name := range unmeasured() {
		t.Errorf("no exercise runs %s", name)
	}
	b.report.add("limits", figure{what: "kept", size: "1 k", value: 1.5, limit: 2, unit: "×", detail: "a; b"})
	b.report.add("limits", figure{what: "missed", value: 0.4, limit: 0.6, atLeast: true, unit: "×"})
	b.report.add("more", figure{what: "without limit", value: 12.3, unit: "MB"})
	if err := b.write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(b.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n| kept | 1 k | 1.50× | ≤ 2.00× | yes | a; b |\n", "\n| missed |  | 0.40× | ≥ 0.60× | **no** |  |\n", "\n| without limit |  | 12 MB |  |\n",
		"\n| | 2 k | 4 k | exponent |\n", "\n| `task_apply` 20 tasks, each after the one before | ",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), b.dir) {
		t.Error("the report names a folder of this machine")
	}
}

// TestFan runs the measurements that write on a small graph.
func TestFan(t *testing.T) {
	b := &bench{settings: settings{sizes: []int{2000}, edges: 3, turns: 4}, ctx: t.Context(), dir: t.TempDir(), stores: map[string]*fixture{}}
	defer failed(t)
	b.measureFan()
	b.measureWrites()
	f := b.ordinary(2000).open()
	defer f.close()
	b.compareReads(f)
	if got := len(b.report.figures["limits"]); got != 9 {
		t.Errorf("%d figures", got)
	}
}

// failed turns the end of a run into that of a test.
func failed(t *testing.T) {
	if fault := recover(); fault != nil {
		failure, ok := fault.(failure)
		if !ok {
			panic(fault)
		}
		t.Fatal(failure.err)
	}
}

func TestExponent(t *testing.T) {
	sizes := []int{10, 100, 1000}
	for _, c := range []struct {
		times []time.Duration
		want  float64
	}{
		{[]time.Duration{5, 5, 5}, 0}, {[]time.Duration{10, 100, 1000}, 1}, {[]time.Duration{100, 10_000, 1_000_000}, 2},
	} {
		if got := exponent(sizes, c.times); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v grows with the power %f", c.times, got)
		}
	}
	if got := exponent(sizes[:1], []time.Duration{1}); !math.IsNaN(got) {
		t.Errorf("one size gives %f", got)
	}
}

func TestTurns(t *testing.T) {
	var order strings.Builder
	c := turns(4, func(turn int) time.Duration {
		order.WriteString("a")
		return time.Duration(2 * (turn + 1))
	}, func(turn int) time.Duration {
		order.WriteString("b")
		return time.Duration(turn + 1)
	})
	if order.String() != "ababbaabba" || c.ratio() != 2 {
		t.Errorf("turns %s, ratio %f", order.String(), c.ratio())
	}
}

func TestShort(t *testing.T) {
	for took, want := range map[time.Duration]string{
		1234: "1.23 µs", 123_456: "123 µs", 1_234_567: "1.23 ms", 12_345_678: "12.3 ms", 123_456_789: "123 ms", 12_345_678_901: "12.3 s",
	} {
		if got := short(took); got != want {
			t.Errorf("%d ns are %s, not %s", took, got, want)
		}
	}
	for n, want := range map[int]string{999: "999", 1000: "1 k", 100_000: "100 k", 1_000_000: "1 M", 1500: "1500"} {
		if got := count(n); got != want {
			t.Errorf("%d is %s, not %s", n, got, want)
		}
	}
}
