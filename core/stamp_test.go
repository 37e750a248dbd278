package core

import (
	"encoding/json"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"
)

func TestParseStamp_formsOfTheContract(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		// A full datetime with offset or Z.
		{"2026-03-02T09:15:00.120431+00:00", "2026-03-02T09:15:00.120431+00:00"},
		{"2026-03-02T09:15:00Z", "2026-03-02T09:15:00+00:00"},
		{"2026-03-02T09:15:00+02:00", "2026-03-02T07:15:00+00:00"},
		{"2026-03-02T09:15:00-0530", "2026-03-02T14:45:00+00:00"},
		{"2026-03-02T09:15:00-05", "2026-03-02T14:15:00+00:00"},
		{"2026-03-02T00:15:00+23:59", "2026-03-01T00:16:00+00:00"},
		{"2026-03-02T09:15Z", "2026-03-02T09:15:00+00:00"},
		{"2026-03-02T09+01", "2026-03-02T08:00:00+00:00"},
		// A naive one is UTC.
		{"2026-03-02T09:15:00", "2026-03-02T09:15:00+00:00"},
		{"2026-03-02 09:15:00", "2026-03-02T09:15:00+00:00"},
		{"2026-03-02t09:15:00", "2026-03-02T09:15:00+00:00"},
		{"2026-03-02T09:15", "2026-03-02T09:15:00+00:00"},
		{"2026-03-02T09", "2026-03-02T09:00:00+00:00"},
		// A date alone is midnight UTC.
		{"2026-03-02", "2026-03-02T00:00:00+00:00"},
		{"2024-02-29", "2024-02-29T00:00:00+00:00"},
		// ISO basic format.
		{"20260302", "2026-03-02T00:00:00+00:00"},
		{"20260302T091500Z", "2026-03-02T09:15:00+00:00"},
		{"20260302T091500.5+0100", "2026-03-02T08:15:00.500000+00:00"},
		{"20260302T0915", "2026-03-02T09:15:00+00:00"},
		// ISO week dates.
		{"2026-W10", "2026-03-02T00:00:00+00:00"},
		{"2026-W10-1", "2026-03-02T00:00:00+00:00"},
		{"2026-W10-7", "2026-03-08T00:00:00+00:00"},
		{"2026W103", "2026-03-04T00:00:00+00:00"},
		{"2026W10", "2026-03-02T00:00:00+00:00"},
		{"2026-W10-2T09:15:00+01:00", "2026-03-03T08:15:00+00:00"},
		{"2020-W53-5", "2021-01-01T00:00:00+00:00"},
		{"2021-W01-1", "2021-01-04T00:00:00+00:00"},
		{"2019-W01-1", "2018-12-31T00:00:00+00:00"},
		// Fractions of any length are cut to microseconds.
		{"2026-03-02T09:15:00.1", "2026-03-02T09:15:00.100000+00:00"},
		{"2026-03-02T09:15:00,25", "2026-03-02T09:15:00.250000+00:00"},
		{"2026-03-02T09:15:00.9999999999", "2026-03-02T09:15:00.999999+00:00"},
		{"2026-03-02T09:15:00.0000009", "2026-03-02T09:15:00+00:00"},
		// The first and the last moment.
		{"0001-01-01", "0001-01-01T00:00:00+00:00"},
		{"9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999+00:00"},
	} {
		got, err := ParseStamp(c.in)
		if err != nil {
			t.Errorf("ParseStamp(%q): %v", c.in, err)
			continue
		}
		if got.String() != c.want {
			t.Errorf("ParseStamp(%q) = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestParseStamp_refusesEverythingElse(t *testing.T) {
	for _, in := range []string{
		"", " ", "now", "tomorrow", "+2h", "1767225600", "2026", "2026-03", "202603", "26-03-02",
		"2026-3-2", "2026-02-29", "2026-13-01", "2026-00-01", "2026-03-00", "2026-03-32", "2026-060", "2026/03/02",
		" 2026-03-02", "2026-03-02 ", "2026-03-02T", "2026-03-02T ", "T09:15:00", "2026-03-02TZ",
		"2026-03-02T9:15:00", "2026-03-02T9", "2026-03-02T09:5", "2026-03-02T24:00:00", "2026-03-02T09:60:00",
		"2026-03-02T09:15:60", "2026-03-02T09:15:00.", "2026-03-02T09:15.5", "2026-03-02T09:15:00z",
		"2026-03-02T09:15:00 +00:00", "2026-03-02T09:15:00+24:00", "2026-03-02T09:15:00+01:60", "2026-03-02T09:15:00+1",
		"2026-03-02T09:15:00+00:00Z", "2026-03-02T09:15:00 UTC", "2026-03-02T09:15:00+00:00[UTC]", "2026-03-02T0915:00",
		"2026-W00-1", "2026-W54-1", "2021-W53-1", "2026-W10-0", "2026-W10-8", "2026-W1", "2026W10-1", "2026-W101", "2026-w10-1",
		"0000-01-01", "10000-01-01", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00",
		"2026-03-02T09:15:00\x00", "２０２６-03-02", "2026-03-02T09:15:00+00:00 ",
	} {
		if got, err := ParseStamp(in); err == nil {
			t.Errorf("ParseStamp(%q) = %s, want an error", in, got)
		}
	}
}

func TestStamp_textHasSixFractionalDigitsOrNone(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(2026, 3, 2, 9, 15, 0, 0, time.UTC), "2026-03-02T09:15:00+00:00"},
		{time.Date(2026, 3, 2, 9, 15, 0, 1000, time.UTC), "2026-03-02T09:15:00.000001+00:00"},
		{time.Date(2026, 3, 2, 9, 15, 0, 999, time.UTC), "2026-03-02T09:15:00+00:00"},
		{time.Date(2026, 3, 2, 9, 15, 0, 500_000_000, time.UTC), "2026-03-02T09:15:00.500000+00:00"},
		{time.Date(2026, 3, 2, 1, 15, 0, 0, time.FixedZone("", 7200)), "2026-03-01T23:15:00+00:00"},
		{time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC), "1969-12-31T23:59:59.999999+00:00"},
		{time.Date(7, 1, 2, 3, 4, 5, 60_000, time.UTC), "0007-01-02T03:04:05.000060+00:00"},
	} {
		s := StampOf(c.at)
		if s.String() != c.want {
			t.Errorf("%v prints as %s, want %s", c.at, s, c.want)
		}
		back, err := ParseStamp(c.want)
		if err != nil || back != s {
			t.Errorf("%s reads back as %d, %v; want %d", c.want, back, err, s)
		}
		text, err := json.Marshal(s)
		if err != nil || string(text) != `"`+c.want+`"` {
			t.Errorf("%v marshals to %s, %v", c.at, text, err)
		}
		var read Stamp
		if err := json.Unmarshal(text, &read); err != nil || read != s {
			t.Errorf("%s unmarshals to %d, %v; want %d", text, read, err, s)
		}
	}
}

func TestStamp_byteOrderIsTimeOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	base := StampOf(time.Date(2026, 3, 2, 9, 15, 0, 0, time.UTC))
	var stamps []Stamp
	for range 2000 {
		s := base + Stamp(random.Int64N(4_000_000)-2_000_000)
		if random.IntN(3) == 0 {
			s -= s % 1_000_000
		}
		stamps = append(stamps, s, Stamp(random.Int64N(100*365*24*3600))*1_000_000)
	}
	sort.Slice(stamps, func(i, j int) bool { return stamps[i] < stamps[j] })
	for i := 1; i < len(stamps); i++ {
		a, b := stamps[i-1], stamps[i]
		if order := strings.Compare(a.String(), b.String()); order > 0 || order == 0 && a != b {
			t.Fatalf("%s and %s stand in the wrong order of bytes", a, b)
		}
	}
}

func TestStamp_secondsAreCutDownwards(t *testing.T) {
	for _, c := range []struct {
		at   Stamp
		want int64
	}{{0, 0}, {999_999, 0}, {1_000_000, 1}, {-1, -1}, {-1_000_000, -1}, {-1_000_001, -2}} {
		if got := c.at.Seconds(); got != c.want {
			t.Errorf("Stamp(%d).Seconds() = %d, want %d", c.at, got, c.want)
		}
	}
}

func FuzzParseStamp(f *testing.F) {
	for _, seed := range []string{
		"2026-03-02T09:15:00.120431+00:00", "2026-W10-2", "20260302T091500Z", "2026-03-02", "2026W102T09:15:00,5-0530", "0001-01-01",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := ParseStamp(text)
		if err != nil {
			return
		}
		printed := at.String()
		back, err := ParseStamp(printed)
		if err != nil || back != at {
			t.Errorf("ParseStamp(%q) prints as %q, which reads as %d, %v instead of %d", text, printed, back, err, at)
		}
		if y := at.Time().Year(); y < 1 || y > 9999 {
			t.Errorf("ParseStamp(%q) is of the year %d", text, y)
		}
		for _, r := range text {
			if !strings.ContainsRune("0123456789-+:.,TtWZ ", r) {
				t.Errorf("ParseStamp(%q) accepted %q", text, r)
			}
		}
	})
}
