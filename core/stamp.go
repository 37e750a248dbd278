package core

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Stamp is an instant in microseconds since 1970-01-01T00:00:00 UTC.
type Stamp int64

// The first and the last instant that can be written as ISO 8601: the years 1
// to 9999.
const (
	FirstStamp Stamp = -62_135_596_800_000_000
	LastStamp  Stamp = 253_402_300_799_999_999
)

// StampOf converts a time, cutting it to whole microseconds.
func StampOf(t time.Time) Stamp { return Stamp(t.UnixMicro()) }

// Time converts back, in UTC.
func (s Stamp) Time() time.Time { return time.UnixMicro(int64(s)).UTC() }

// Add returns the stamp d later; d is cut to whole microseconds.
func (s Stamp) Add(d time.Duration) Stamp { return s + Stamp(d.Microseconds()) }

// Seconds returns the stamp in whole seconds since 1970, cut downwards.
func (s Stamp) Seconds() int64 {
	sec := int64(s) / 1_000_000
	if int64(s)%1_000_000 < 0 {
		sec--
	}
	return sec
}

// String formats as ISO 8601 in UTC with +00:00 and six fractional digits,
// which are left out when all are zero; byte order equals time order.
func (s Stamp) String() string { return string(s.Append(nil)) }

// Append appends the text of [Stamp.String].
func (s Stamp) Append(dst []byte) []byte {
	t := s.Time()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	if year < 0 || year > 9999 {
		dst = strconv.AppendInt(dst, int64(year), 10) // a year of a damaged store
	} else {
		dst = append(dst, digit(year/1000), digit(year/100), digit(year/10), digit(year))
	}
	dst = append(dst, '-', digit(int(month)/10), digit(int(month)), '-', digit(day/10), digit(day),
		'T', digit(hour/10), digit(hour), ':', digit(minute/10), digit(minute), ':', digit(second/10), digit(second))
	if micro := t.Nanosecond() / 1000; micro != 0 {
		dst = append(dst, '.', digit(micro/100_000), digit(micro/10_000), digit(micro/1000), digit(micro/100), digit(micro/10), digit(micro))
	}
	return append(dst, "+00:00"...)
}

// digit is the last decimal digit of a number.
func digit(n int) byte { return '0' + byte(n%10) }

// MarshalJSON returns the quoted text of the stamp.
func (s Stamp) MarshalJSON() ([]byte, error) {
	return append(s.Append([]byte{'"'}), '"'), nil
}

// UnmarshalJSON reads the text that MarshalJSON writes.
func (s *Stamp) UnmarshalJSON(b []byte) error {
	text, err := strconv.Unquote(string(b))
	if err != nil {
		return err
	}
	*s, err = ParseStamp(text)
	return err
}

var (
	dateLayouts = []string{"2006-01-02", "20060102"}
	timeLayouts = []string{"15:04:05", "150405", "15:04", "1504", "15"}
	zoneLayouts = []string{"", "Z07:00", "Z0700", "Z07"}
)

// lastStamp is the last time that can be written and read again.
func lastStamp() Stamp { return StampOf(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)) - 1 }

var errNoTime = errors.New("no ISO 8601 time")

// ParseStamp reads an ISO 8601 time: a full datetime with offset or Z, a
// naive one (taken as UTC), a date alone (midnight UTC), in extended or basic
// form, or with a week date (2026-W10-2). Fractions beyond microseconds are
// cut. The year must lie between 1 and 9999 in UTC.
func ParseStamp(text string) (Stamp, error) {
	date, clock, hasClock := cutClock(text)
	day, err := parseDate(date)
	if err != nil {
		return 0, err
	}
	t := day
	if hasClock {
		at, err := parseClock(clock)
		if err != nil {
			return 0, err
		}
		// The clock was read on the first day of year 0; its distance from
		// that midnight, offset included, is what the day needs.
		t = day.Add(at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)))
	}
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return 0, errNoTime
	}
	return StampOf(t), nil
}

func cutClock(text string) (date, clock string, ok bool) {
	if i := strings.IndexAny(text, "Tt "); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

func parseDate(text string) (time.Time, error) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return parseWeekDate(text)
}

// parseWeekDate reads 2026-W10, 2026-W10-2, 2026W10 and 2026W102.
func parseWeekDate(text string) (time.Time, error) {
	year, rest, ok := strings.Cut(text, "W")
	extended := strings.HasSuffix(year, "-")
	year = strings.TrimSuffix(year, "-")
	week, weekday := rest, "1"
	switch {
	case extended && len(rest) == 4 && rest[2] == '-':
		week, weekday = rest[:2], rest[3:]
	case !extended && len(rest) == 3:
		week, weekday = rest[:2], rest[2:]
	}
	y, w, d := digits(year), digits(week), digits(weekday)
	if !ok || len(year) != 4 || len(week) != 2 || y < 1 || w < 1 || d < 1 || d > 7 {
		return time.Time{}, errNoTime
	}
	// The fourth of January is always in week 1.
	fourth := time.Date(y, 1, 4, 0, 0, 0, 0, time.UTC)
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	t := monday.AddDate(0, 0, (w-1)*7+d-1)
	if gotYear, gotWeek := t.ISOWeek(); gotYear != y || gotWeek != w {
		return time.Time{}, errNoTime
	}
	return t, nil
}

// digits reads an unsigned decimal; -1 when there is anything but digits.
func digits(s string) int {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

func parseClock(text string) (time.Time, error) {
	if !isExactClock(text) {
		return time.Time{}, errNoTime
	}
	// Each layout that does not fit costs an error with copies of it all.
	zones := zoneLayouts[:1]
	if strings.ContainsAny(text, "Z+-") {
		zones = zoneLayouts[1:]
	}
	for _, zone := range zones {
		for _, layout := range timeLayouts {
			if t, err := time.Parse(layout+zone, text); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, errNoTime
}

// isExactClock refuses what time.Parse would take although it is no ISO time:
// hours of one digit, and offsets of 24 hours or 60 minutes.
func isExactClock(text string) bool {
	if len(text) < 2 || digits(text[:2]) < 0 {
		return false
	}
	at := strings.LastIndexAny(text, "+-")
	if at < 0 {
		return true
	}
	offset := strings.ReplaceAll(text[at+1:], ":", "")
	return offset[:min(2, len(offset))] <= "23" && (len(offset) < 3 || offset[2:] <= "59")
}
