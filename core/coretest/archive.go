package coretest

import (
	"fmt"
	"strings"
	"testing"

	"dev.lithos/core"
)

// testArchive covers the operation that moves old events out of the feed.
func testArchive(t *testing.T, open Open) {
	s := newSession(t, open)
	s.want("events_archive", `{"before":"2030-01-01"}`, `{"success":true,"moved":0,"archived_through":null,"archived_before":null,"remaining":0}`)
	s.at("2026-03-01T00:00:00Z")
	s.task("first-01", "") // 1, 2
	s.at("2026-03-02T00:00:00Z")
	s.do("finding_post", `{"task_id":"first-01","agent":"mo","summary":"S"}`) // 3, 4
	s.at("2026-03-03T00:00:00Z")
	s.do("finding_post", `{"task_id":"first-01","agent":"mo","summary":"S"}`) // 5
	for _, step := range []struct{ before, want string }{
		{"2026-03-01", `{"success":true,"moved":0,"archived_through":null,"archived_before":null,"remaining":5}`},
		{"2026-03-01T00:00:00.000001Z", `{"success":true,"moved":2,"archived_through":2,"archived_before":"2026-03-01T00:00:00.000001+00:00","remaining":3}`},
		{"2026-02-01", `{"success":true,"moved":0,"archived_through":2,"archived_before":"2026-03-01T00:00:00.000001+00:00","remaining":3}`},
		{"2026-03-02T01:00:00+01:00", `{"success":true,"moved":0,"archived_through":2,"archived_before":"2026-03-01T00:00:00.000001+00:00","remaining":3}`},
		{"2030-01-01", `{"success":true,"moved":2,"archived_through":4,"archived_before":"2026-03-02T00:00:00.000001+00:00","remaining":1}`},
		{"2030-01-01", `{"success":true,"moved":0,"archived_through":4,"archived_before":"2026-03-02T00:00:00.000001+00:00","remaining":1}`},
	} {
		s.want("events_archive", fmt.Sprintf(`{"before":%q}`, step.before), step.want)
	}
	s.fail("events", `{"since":3}`, "cursor_expired", `{"archived_through":4,"resume_after":4}`)
	if got := fmt.Sprint(s.values(s.do("events", `{"since":4}`), "events", "seq")); got != "[5]" {
		t.Errorf("after the floor the feed has %s", got)
	}
	if got := fmt.Sprint(s.values(s.do("journal", `{}`), "events", "seq")); got != "[5 4 3 2 1]" {
		t.Errorf("the journal has %s", got)
	}
	// A number is given once, whatever is archived.
	s.do("finding_post", `{"task_id":"first-01","agent":"mo","summary":"S"}`)
	if got := s.value(s.do("events", `{}`), "next_since"); fmt.Sprint(got) != "6" {
		t.Errorf("the next event has the number %v", got)
	}
	s.fail("events_archive", `{"before":"never"}`, "invalid_input", `{"reason":"invalid_field_value","field":"before","value":"never"}`)
	s.fail("events_archive", `{}`, "invalid_input", `{"reason":"missing_field","field":"before"}`)
	s.fail("events_archive", `{"before":null}`, "invalid_input", `{"reason":"missing_field","field":"before"}`)

	// An event from a clock set back stops the run: what is younger below it
	// stays too.
	s = newSession(t, open)
	s.at("2026-03-05T00:00:00Z")
	s.task("first-01", "") // 1, 2
	s.at("2026-03-01T00:00:00Z")
	s.task("second-1", "") // 3
	s.task("third-01", "") // 4
	s.want("events_archive", `{"before":"2026-03-04"}`, `{"success":true,"moved":0,"archived_through":null,"archived_before":null,"remaining":4}`)
	s.want("events_archive", `{"before":"2026-03-06"}`, `{"success":true,"moved":3,"archived_through":3,"archived_before":"2026-03-05T00:00:00.000001+00:00","remaining":1}`)

	// More than one transaction moves.
	s = newSession(t, open)
	s.at("2026-03-01T00:00:00Z")
	s.task("first-01", "")
	for n := 2; n <= 2*core.MaxArchivedAtOnce; n += 1000 {
		finding := `{"op":"finding_post","task_id":"first-01","summary":"S"}`
		s.do("task_apply", `{"agent":"ada","operations":[`+finding+strings.Repeat(","+finding, 999)+`]}`)
	}
	total := 2 + 2*core.MaxArchivedAtOnce
	s.want("events_archive", `{"before":"2030-01-01"}`,
		fmt.Sprintf(`{"success":true,"moved":%d,"archived_through":%d,"archived_before":"2026-03-01T00:00:00.000001+00:00","remaining":1}`, total-1, total-1))
}
