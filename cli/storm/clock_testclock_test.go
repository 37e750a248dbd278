//go:build testclock

package storm

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

func init() { testClock = true }

// at sets the clock of the processes to come.
func (f *field) at(text string) {
	f.Helper()
	if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
		f.Fatal(err)
	}
	f.with("LITHOS_TEST_NOW", text)
}

// with sets a variable of the processes to come.
func (f *field) with(name, value string) {
	env := f.env[:0:0]
	for _, v := range f.env {
		if !strings.HasPrefix(v, name+"=") {
			env = append(env, v)
		}
	}
	f.env = append(env, name+"="+value)
}

// answer runs the program with --json and returns the answer and its status.
func (f *field) answer(args ...string) (answer map[string]any, status int) {
	f.Helper()
	stdout, stderr, status := f.try(append(args, "--json")...)
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		f.Fatalf("%q: %v in %q, %s", args, err, stdout, stderr)
	}
	return answer, status
}

// create makes a task and returns its id.
func (f *field) create(args ...string) string {
	f.Helper()
	return f.lithos(append([]string{"task", "create", "--agent", setUp, "--jq", ".task_id"}, args...)...)
}

// TestClock_setBack moves the clock about under a task that is changed all the
// time: its stamps rise all the same.
func TestClock_setBack(t *testing.T) {
	f := bareField(t)
	f.at("2026-06-01T12:00:00Z")
	f.lithos("init")
	id := f.create("Task")
	last := "2026-06-01T12:00:00+00:00"
	for i, now := range []string{
		"2026-06-01T11:00:00Z", "2026-06-01T11:00:00Z", "2020-01-01T00:00:00Z", "2026-06-01T12:00:00.000001Z",
		"2026-06-01T12:00:00.000002Z", "2030-01-01T00:00:00Z", "2026-06-01T12:00:00Z", "1970-01-01T00:00:00Z", "1969-07-20T20:17:40Z",
	} {
		f.at(now)
		verb := []string{"update", "complete", "reopen", "cancel", "reopen"}[i%5]
		args := []string{"task", verb, id, "--agent", "mo"}
		if verb == "update" {
			args = append(args, "--title", now)
		}
		answer, status := f.answer(args...)
		stamp, _ := answer["updated_at"].(string)
		if status != 0 || answer["version"] != float64(i+2) || stamp <= last {
			t.Errorf("%s at %s: status %d, %v, after %s", verb, now, status, answer, last)
		}
		at, err := core.ParseStamp(now)
		if err != nil {
			t.Fatal(err)
		}
		before, err := core.ParseStamp(last)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(at, before+1).String(); stamp != want {
			t.Errorf("%s at %s: the stamp is %s, want %s", verb, now, stamp, want)
		}
		last = stamp
		if record, _ := f.answer("task", "get", id); verb == "complete" || verb == "cancel" {
			if resolved := record["task"].(map[string]any)["resolved_at"]; resolved != stamp {
				t.Errorf("%s at %s: resolved_at is %v, want %s", verb, now, resolved, stamp)
			}
		}
	}
	f.audit()
}

// TestClock_leases looks at a lease from moments around its end.
func TestClock_leases(t *testing.T) {
	f := bareField(t)
	f.at("2026-06-01T12:00:00Z")
	f.lithos("init")
	id := f.create("Task")
	claim := func(now, agent string, status int, seconds any) {
		t.Helper()
		f.at(now)
		answer, got := f.answer("task", "claim", id, "--agent", agent)
		if got != status || answer["seconds_left"] != seconds {
			t.Errorf("a claim of %s at %s: status %d, %v, want %d with %v left", agent, now, got, answer, status, seconds)
		}
	}
	claim("2026-06-01T12:00:00Z", "ada", 0, nil)
	claim("2026-06-01T12:59:59.999999Z", "mo", 6, 1.0)
	claim("2026-06-01T10:00:00Z", "mo", 6, 3.0*3600)
	claim("2026-06-01T12:59:00Z", "mo", 6, 60.0)
	// At its very end a lease is over: nobody can renew it, anybody can take it.
	f.at("2026-06-01T13:00:00Z")
	if answer, status := f.answer("task", "renew", id, "--agent", "ada"); status != 3 || answer["code"] != "claim_not_found" {
		t.Errorf("at its end a lease is renewed: %d, %v", status, answer)
	}
	if list := f.lithos("task", "list", "--claimed-by", "*", "--jq", ".tasks | length"); list != "0" {
		t.Errorf("at its end %s tasks are claimed", list)
	}
	claim("2026-06-01T13:00:00Z", "mo", 0, nil)
	// A clock that is set back finds the new holder.
	claim("2026-06-01T12:30:00Z", "ada", 6, 5400.0)
	if got := f.lithos("task", "renew", id, "--agent", "mo", "--jq", ".new_expires_at"); got != "2026-06-01T13:30:00+00:00" {
		t.Errorf("renewed before it was claimed, the lease ends at %s", got)
	}
	if next := f.lithos("task", "next", "--agent", "ada", "--jq", ".task"); next != "null" {
		t.Errorf("next gives what is held: %s", next)
	}
	f.at("2026-06-01T13:30:00Z")
	if next := f.lithos("task", "next", "--agent", "ada", "--jq", ".task.id"); next != id {
		t.Errorf("next gives %s", next)
	}
	f.audit()
}

// TestClock_timers looks at a timer gate from moments around its opening.
func TestClock_timers(t *testing.T) {
	f := bareField(t)
	f.at("2026-06-01T12:00:00Z")
	f.lithos("init")
	gate := f.create("Later", "--type", "gate", "--gate-type", "timer", "--ready-at", "+2h")
	task := f.create("Task")
	f.lithos("task", "edge", "upsert", gate, task, "--type", "waits_on_gate", "--agent", setUp)
	for _, c := range []struct {
		now   string
		ready bool
	}{
		{"2026-06-01T12:00:00Z", false}, {"2026-06-01T13:59:59.999999Z", false}, {"2026-06-01T14:00:00Z", true},
		{"2026-06-01T13:00:00Z", false}, {"2036-06-01T13:00:00Z", true}, {"1969-01-01T00:00:00Z", false},
	} {
		f.at(c.now)
		ready, blocked := f.lithos("task", "ready", "--jq", ".tasks | length"), f.lithos("task", "blocked", "--jq", ".tasks | length")
		if want := map[bool]string{true: "1 0", false: "0 1"}[c.ready]; ready+" "+blocked != want {
			t.Errorf("at %s %s tasks are ready and %s blocked", c.now, ready, blocked)
		}
	}
	f.audit()
}

// TestClock_leapSecond holds that the second that no clock shows is no time,
// and that nothing happens around it.
func TestClock_leapSecond(t *testing.T) {
	f := bareField(t)
	f.at("2016-12-31T23:59:59.999999Z")
	f.lithos("init")
	for _, text := range []string{"2016-12-31T23:59:60Z", "2016-12-31T23:59:60+00:00", "2016-12-31T24:00:00Z", "2026-02-29"} {
		answer, status := f.answer("task", "create", "Gate", "--type", "gate", "--gate-type", "timer", "--ready-at", text, "--agent", setUp)
		if status != 2 || answer["reason"] != "invalid_field_value" || answer["field"] != "metadata.ready_at" {
			t.Errorf("%s: status %d, %v", text, status, answer)
		}
	}
	id := f.create("Task")
	if got := f.lithos("task", "claim", id, "--ttl", "1", "--agent", "mo", "--jq", ".expires_at"); got != "2017-01-01T00:00:59.999999+00:00" {
		t.Errorf("a lease over the leap second ends at %s", got)
	}
}

// zones are time zones of every kind, and what is none.
var zones = []string{
	"", "UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia", "Pacific/Kiritimati", "Antarctica/Troll",
	"Etc/GMT+12", "EST5EDT", "<+0330>-3:30", ":/etc/localtime", "../../etc/passwd", "/dev/null", "no such zone", strings.Repeat("x", 5000),
}

// TestClock_zones holds that documents are the same in every time zone, also
// at moments when local clocks jump, and that people are shown something.
func TestClock_zones(t *testing.T) {
	moments := []string{
		"2011-12-30T10:00:00Z",                           // Apia leaves out a day
		"2026-03-29T00:59:59.5Z", "2026-03-29T01:00:00Z", // Berlin jumps from 2 to 3
		"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", // and comes to 2:30 twice
	}
	var first string
	for _, zone := range zones {
		f := bareField(t)
		f.with("TZ", zone)
		var names []string
		var documents strings.Builder
		for i, now := range moments {
			f.at(now)
			if i == 0 {
				f.lithos("init")
			}
			id := f.create("Gate "+now, "--type", "gate", "--gate-type", "timer", "--ready-at", "+1h")
			names = append(names, id, fmt.Sprint("ID", i))
			f.lithos("task", "claim", id, "--ttl", "2h", "--agent", "mo")
			if said := f.lithos("task", "get", id); !strings.Contains(said, "Gate") {
				t.Errorf("TZ=%.20s at %s: people are shown %q", zone, now, said)
			}
			at, err := time.Parse(time.RFC3339Nano, now)
			if err != nil {
				t.Fatal(err)
			}
			status := f.lithos("task", "status", id, "--json")
			for _, want := range []string{
				core.StampOf(at).String(), core.StampOf(at.Add(2 * time.Hour)).String(), at.Add(time.Hour).UTC().Format("2006-01-02T15:04:05+00:00"),
			} {
				if !strings.Contains(status, want) {
					t.Errorf("TZ=%.20s at %s: the document lacks %s: %s", zone, now, want, status)
				}
			}
			documents.WriteString(status)
		}
		documents.WriteString(f.export())
		document := strings.NewReplacer(names...).Replace(documents.String())
		if first == "" {
			first = document
		}
		if document != first {
			t.Errorf("TZ=%.20s:\n%s\ninstead of\n%s", zone, document, first)
		}
		f.audit()
	}
}

// TestClock_extremes holds that clocks that stand anywhere make no fault.
func TestClock_extremes(t *testing.T) {
	for _, now := range []string{
		"0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z", "2038-01-19T03:14:08Z",
		"2262-04-11T23:47:17Z", "9999-12-31T21:00:00Z",
	} {
		f := bareField(t)
		f.at(now)
		f.lithos("init")
		id := f.create("Task")
		f.lithos("task", "claim", id, "--agent", "mo")
		f.lithos("task", "list", "--since", now)
		f.lithos("task", "get", id)
		export := f.export()
		other := bareField(t)
		other.at("2026-06-01T12:00:00Z")
		path := filepath.Join(other.dir, "export.jsonl")
		if err := os.WriteFile(path, []byte(export+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		other.lithos("import", path)
		if again := other.export(); again != export {
			t.Errorf("at %s:\n%s\ncame back as\n%s", now, export, again)
		}
		f.audit()
	}
}

// TestClock_server moves the clock under a running server.
func TestClock_server(t *testing.T) {
	f := bareField(t)
	path := filepath.Join(f.dir, "now")
	at := func(text string) {
		t.Helper()
		// By renaming, for the server may read at any moment.
		if err := os.WriteFile(path+"-new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+"-new", path); err != nil {
			t.Fatal(err)
		}
	}
	at("2026-06-01T12:00:00Z")
	f.with("LITHOS_TEST_NOW", "@"+path)
	f.lithos("init")
	s := f.serve()
	id := s.call("task_create", `{"title":"Task","agent":"mo"}`)["task_id"]
	last := ""
	for _, now := range []string{"2026-06-01T11:00:00Z", "2026-06-01T13:00:00Z", "2026-05-01T13:00:00Z"} {
		at(now)
		stamp, _ := s.call("task_update", fmt.Sprintf(`{"task_id":%q,"agent":"mo","description":%q}`, id, now))["updated_at"].(string)
		if stamp <= last || stamp == "" {
			t.Errorf("at %s the stamp is %q, after %q", now, stamp, last)
		}
		last = stamp
	}
	at("2026-06-01T14:00:00Z")
	s.call("task_claim", fmt.Sprintf(`{"task_id":%q,"agent":"ada","aspect":"work"}`, id))
	at("2026-06-01T14:59:59Z")
	if answer := s.call("task_claim", fmt.Sprintf(`{"task_id":%q,"agent":"mo","aspect":"work"}`, id)); answer["code"] != "claim_failed" {
		t.Errorf("a second before its end: %v", answer)
	}
	at("2026-06-01T15:00:00Z")
	if answer := s.call("task_claim", fmt.Sprintf(`{"task_id":%q,"agent":"mo","aspect":"work"}`, id)); answer["success"] != true {
		t.Errorf("at its end: %v", answer)
	}
	s.end()
	f.audit()
}
