package cli

import (
	"bytes"
	"strings"
	"testing"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// drawn is a table as a terminal of a width shows it.
func drawn(t *table, width int) string {
	p := &page{Buffer: &bytes.Buffer{}, terminal: true, width: width}
	t.write(p)
	return p.String()
}

func TestTable(t *testing.T) {
	list := &table{columns: []column{
		{title: "ID", keep: true}, {title: "TITLE", keep: true, gives: 10}, {title: "SAME"}, {title: "EMPTY"},
		{title: "TAGS", gives: 4, drops: 1}, {title: "N", right: true, keep: true},
	}}
	list.add(cell{text: "a"}, cell{text: "A title of some length"}, cell{text: "x"}, cell{}, cell{text: "one, two"}, cell{text: "7"})
	list.add(cell{text: "bb"}, cell{text: "日本語"}, cell{text: "x"}, cell{}, cell{}, cell{text: "12"})
	for width, want := range map[int]string{
		80: "ID  TITLE                   TAGS       N\n" +
			"a   A title of some length  one, two   7\n" +
			"bb  日本語                            12\n",
		32: "ID  TITLE           TAGS       N\n" +
			"a   A title of so…  one, two   7\n" +
			"bb  日本語                    12\n",
		24: "ID  TITLE       TAGS   N\n" +
			"a   A title o…  one…   7\n" +
			"bb  日本語            12\n",
		20: "ID  TITLE          N\n" +
			"a   A title of …   7\n" +
			"bb  日本語        12\n",
		12: "ID  TIT…   N\n" +
			"a   A t…   7\n" +
			"bb  日…   12\n",
	} {
		got := drawn(list, width)
		if got != want {
			t.Errorf("at %d:\n%s\nwant\n%s", width, got, want)
		}
		for line := range strings.Lines(got) {
			if n := display.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("at %d a line is %d cells wide", width, n)
			}
		}
	}
	if got := drawn(&table{columns: list.columns}, 80); got != "" {
		t.Errorf("a table without rows is %q", got)
	}
	// One row has nothing to be told apart from: what is not empty is shown.
	list.rows = list.rows[:1]
	if got := drawn(list, 80); !strings.Contains(got, "SAME") || strings.Contains(got, "EMPTY") {
		t.Errorf("one row is shown as\n%s", got)
	}
	p := &page{Buffer: &bytes.Buffer{}}
	list.add(cell{text: "short", piped: "whole\tid"}, cell{}, cell{}, cell{}, cell{}, cell{})
	list.write(p)
	if want := "a\tA title of some length\tx\t\tone, two\t7\nwhole␉id\t\t\t\t\t\n"; p.String() != want {
		t.Errorf("piped: %q, want %q", p.String(), want)
	}
}

// A list that has no room loses whole parts, and says how many.
func TestTable_lists(t *testing.T) {
	list := &table{columns: []column{{title: "ID", keep: true}, {title: "WAITS FOR", gives: 8, keep: true}}}
	list.add(cell{text: "a"}, listed([]string{"first one", "second", "third"}))
	list.add(cell{text: "b"}, listed([]string{"only a single one"}))
	for width, want := range map[int]string{
		40: "ID  WAITS FOR\na   first one, second, third\nb   only a single one\n",
		24: "ID  WAITS FOR\na   first one, second +1\nb   only a single one\n",
		20: "ID  WAITS FOR\na   first one +2\nb   only a single o…\n",
		14: "ID  WAITS FOR\na   first … +2\nb   only a si…\n",
	} {
		if got := drawn(list, width); got != want {
			t.Errorf("at %d:\n%s\nwant\n%s", width, got, want)
		}
	}
}

// The end of a long id tells tasks apart, and is that of the whole id.
func TestPage_id(t *testing.T) {
	p := &page{Buffer: &bytes.Buffer{}, terminal: true, width: 80}
	for _, c := range []struct{ id, short, want string }{
		{"83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "83257c", "83257c"},
		{"existing_agent-ehuy", "existing_agent-eh", "…_agent-ehuy"},
		{"twelve-cells", "twelve-cells", "twelve-cells"},
	} {
		if got := p.id(label{core.Card{Task: core.Task{TaskHead: core.TaskHead{ID: c.id}}, ShortID: c.short}, true}); got != c.want {
			t.Errorf("%s is shown as %q, want %q", c.id, got, c.want)
		}
	}
}
