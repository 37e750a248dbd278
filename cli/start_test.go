package cli_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// What the packages of this module may allocate when the program starts, in
// objects. Every command pays for it, also those that use nothing of it: what
// is compiled or built once waits until it is wanted.
const startAllocations = 100

// startExceptions are packages that need more, and how much.
var startExceptions = map[string]int{
	"dev.lithos/tui": 350, // the table of keys and actions
}

// unfitForStart are packages that must not be part of the program: what they
// do when it starts costs more than it is worth.
var unfitForStart = []string{"github.com/yuin/goldmark/extension"}

func TestStart_isLean(t *testing.T) {
	command := exec.Command("lithos", "version")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	command.Stderr = &trace
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, trace.String())
	}
	seen := 0
	for lines := bufio.NewScanner(&trace); lines.Scan(); {
		// init dev.lithos/core @1.9 ms, 0.008 ms clock, 3144 bytes, 38 allocs
		fields := strings.Fields(lines.Text())
		if len(fields) < 11 || fields[0] != "init" {
			continue
		}
		allocations, err := strconv.Atoi(fields[len(fields)-2])
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		name := fields[1]
		for _, unfit := range unfitForStart {
			if name == unfit {
				t.Errorf("the program holds %s: %s", name, lines.Text())
			}
		}
		if !strings.HasPrefix(name, "dev.lithos/") || strings.HasSuffix(name, "_test") {
			continue
		}
		seen++
		allowed := startAllocations
		if more, is := startExceptions[name]; is {
			allowed = more
		}
		if allocations > allowed {
			t.Errorf("%s makes %d objects when the program starts, of %d: sync.OnceValue puts off what is seldom wanted", name, allocations, allowed)
		}
	}
	if seen < 5 {
		t.Errorf("the trace names %d packages of this module:\n%s", seen, trace.String())
	}
}
