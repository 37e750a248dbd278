package cli

import (
	"slices"
	"strings"
	"testing"

	"dev.lithos/core"
)

func TestReadArguments(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "lithos --"},
		{"task ready", "lithos task ready --"},
		{"t ready --json", "lithos --json=true task ready --"},
		{"--json task ready", "lithos --json=true task ready --"},
		{"task --json ready", "lithos --json=true task ready --"},
		{"task --limit 5 ready", "lithos task ready --limit=5 --"},
		{"task get a b --jq .x c", "lithos --jq=.x task get -- a b c"},
		{"task create title --tag a,b --tag c --description=-x", "lithos task create --tag=a,b --tag=c --description=-x -- title"},
		{"task create --description - title", "lithos task create --description=- -- title"},
		{"task create -- --json", "lithos task create -- --json"},
		{"task create --tag= x", "lithos task create --tag= -- x"},
		{"task ready --watch=false", "lithos task ready --watch=false --"},
		{"-q -d dir task ready", "lithos --quiet=true --data-dir=dir task ready --"},
		{"-d=dir task ready", "lithos --data-dir=dir task ready --"},
		{"-ddir task ready", "lithos --data-dir=dir task ready --"},
		{"task ready -q -q", "lithos --quiet=true --quiet=true task ready --"},
		{"events --since 4", "lithos events --since=4 --"},
		{"task edge upsert a --type blocks b", "lithos task edge upsert --type=blocks -- a b"},
	} {
		got, err := readArguments(rootCommand(), strings.Fields(c.line))
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		if line := strings.Join(got.argv(), " "); line != c.want {
			t.Errorf("%q is read as %q, want %q", c.line, line, c.want)
		}
	}
}

func TestReadArguments_faults(t *testing.T) {
	for _, c := range []struct{ line, reason, field, value, nearest string }{
		{"tsk", core.ReasonUnknownField, "command", "tsk", "task"},
		{"task redy", core.ReasonUnknownField, "command", "redy", "ready"},
		{"tsk --help", core.ReasonUnknownField, "command", "tsk", "task"},
		{"task", core.ReasonMissingField, "command", "", ""},
		{"task edge", core.ReasonMissingField, "command", "", ""},
		{"events arcive", core.ReasonUnknownField, "command", "arcive", "archive"},
		{"task ready --projct x", core.ReasonUnknownField, "projct", "", "project"},
		{"--projct task ready", core.ReasonUnknownField, "projct", "", ""},
		{"task ready --title x", core.ReasonUnknownField, "title", "", ""},
		{"task --title x ready", core.ReasonUnknownField, "title", "", ""},
		{"task ready -x", core.ReasonUnknownField, "x", "", ""},
		{"task ready -json", core.ReasonUnknownField, "json", "", "json"},
		{"-qx task ready", core.ReasonUnknownField, "qx", "", "db"},
		{"task ready foo", core.ReasonUnknownField, "argument", "foo", ""},
		{"task claim a b", core.ReasonUnknownField, "argument", "b", ""},
		{"task create", core.ReasonMissingField, "title", "", ""},
		{"task edge upsert a --type blocks", core.ReasonMissingField, "to_task_id", "", ""},
		{"task ready --limit", core.ReasonMissingField, "limit", "", ""},
		{"task ready --limit -5", core.ReasonMissingField, "limit", "", ""},
		{"task ready --limit --json", core.ReasonMissingField, "limit", "", ""},
		{"task ready --json=yes", core.ReasonInvalidValue, "json", "yes", ""},
		{"task ready --limit 5 --limit 6", core.ReasonInvalidValue, "limit", "6", ""},
		{"task ready --watch --watch=false", core.ReasonInvalidValue, "watch", "false", ""},
		{"task ready -- x", core.ReasonUnknownField, "argument", "x", ""},
		{"task list --created-by", core.ReasonMissingField, "agent", "", ""},
	} {
		_, err := readArguments(rootCommand(), strings.Fields(c.line))
		if err == nil {
			t.Errorf("%q is accepted", c.line)
			continue
		}
		e := core.AsError(err)
		text := func(name string) string { s, _ := e.Extra(name).(string); return s }
		if e.Code != core.CodeInvalidInput || text("reason") != c.reason || text("field") != c.field ||
			text("value") != c.value || text("nearest") != c.nearest {
			t.Errorf("%q: %s/%s field %q value %q nearest %q, want %s field %q value %q nearest %q", c.line,
				e.Code, text("reason"), text("field"), text("value"), text("nearest"), c.reason, c.field, c.value, c.nearest)
		}
	}
}

func TestReadArguments_learnsAboutJSON(t *testing.T) {
	for line, want := range map[string]bool{
		"task redy --json": true, "--nope task ready --jq .": true, "task ready --json=false x": false,
		"task ready -- --json": false, "task ready x --json": true, "task list --text --json": true,
	} {
		got, _ := readArguments(rootCommand(), strings.Fields(line)) // the faults are not at issue here
		if got.json != want {
			t.Errorf("%q: JSON is %v, want %v", line, got.json, want)
		}
	}
}

func TestReadArguments_help(t *testing.T) {
	for line, want := range map[string]string{
		"--help": "lithos", "task -h": "lithos task", "task create --help": "lithos task create",
		"task get --help": "lithos task get", "--help task edge": "lithos task edge",
	} {
		got, err := readArguments(rootCommand(), strings.Fields(line))
		if err != nil || !got.help || got.command.path() != want {
			t.Errorf("%q: help %v of %q, %v; want that of %q", line, got.help, got.command.path(), err, want)
		}
	}
	// Asking for help does not make the rest of the line go away.
	for _, line := range []string{"task ready --help --nonsense", "task ready --nonsense -h", "task redy --help"} {
		if _, err := readArguments(rootCommand(), strings.Fields(line)); !isUnknown(err) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestAgain(t *testing.T) {
	got, err := readArguments(rootCommand(), []string{"t", "list", "--text", "it's here", "--offset", "50", "--with-claims", "--tag=-x"})
	if err != nil {
		t.Fatal(err)
	}
	want := `lithos task list --text='it'\''s here' --with-claims --tag=-x --offset=100`
	if line := got.again("offset", "100"); line != want {
		t.Errorf("again is %s, want %s", line, want)
	}
}

// FuzzReadArguments holds that every line is either refused, or handed on with
// all of its words in it.
func FuzzReadArguments(f *testing.F) {
	for _, line := range []string{"task ready --limit 5", "task create -- -x", "-d x --json", "task get a\nb\n--tag=c"} {
		f.Add(strings.ReplaceAll(line, " ", "\n"))
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		got, err := readArguments(rootCommand(), args)
		if err != nil {
			if e := core.AsError(err); e.Code != core.CodeInvalidInput {
				t.Fatalf("%q: %v", args, err)
			}
			return
		}
		if got.help {
			return
		}
		again, err := readArguments(rootCommand(), got.argv()[1:])
		if err != nil || !slices.Equal(again.argv(), got.argv()) {
			t.Fatalf("%q is read as %q, and that as %q, %v", args, got.argv(), again.argv(), err)
		}
		// Every argument after -- is there unchanged.
		if i := slices.Index(args, "--"); i >= 0 && !strings.HasSuffix(strings.Join(got.argv(), "\n")+"\n", strings.Join(args[i+1:], "\n")+"\n") {
			t.Fatalf("%q is read as %q", args, got.argv())
		}
	})
}
