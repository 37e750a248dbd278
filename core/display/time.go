package display

import (
	"fmt"
	"time"

	"dev.lithos/core"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
	year = 365 * day
)

// Age says how long ago a moment was, in one unit: now, 5m, 2h, 3d, 4w, 2y.
// Days count up to two weeks, weeks up to a year. A moment that lies ahead,
// as another clock may have written it, is now.
func Age(at, now core.Stamp) string {
	switch d := since(at, now); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 2*week:
		return fmt.Sprintf("%dd", d/day)
	case d < year:
		return fmt.Sprintf("%dw", d/week)
	default:
		return fmt.Sprintf("%dy", d/year)
	}
}

// Ago is [Age] as part of a sentence: "just now", "5m ago".
func Ago(at, now core.Stamp) string {
	if age := Age(at, now); age != "now" {
		return age + " ago"
	}
	return "just now"
}

// Left says how much time remains until a moment, rounded up to the smaller
// unit shown: 40s, 52m, 2h 5m, 3d 4h, 6w, 2y; expired when none does.
func Left(until, now core.Stamp) string {
	d := since(now, until)
	if d <= 0 {
		return "expired"
	}
	if seconds := roundUp(d, time.Second); seconds < time.Minute {
		return fmt.Sprintf("%ds", seconds/time.Second)
	}
	if minutes := roundUp(d, time.Minute); minutes < day {
		return twoUnits(minutes, time.Hour, "h", time.Minute, "m")
	}
	if hours := roundUp(d, time.Hour); hours < 2*week {
		return twoUnits(hours, day, "d", time.Hour, "h")
	}
	if weeks := roundUp(d, week); weeks < year {
		return fmt.Sprintf("%dw", weeks/week)
	}
	return fmt.Sprintf("%dy", roundUp(d, year)/year)
}

// When is a moment to the minute, as people read it: 2026-12-03 13:25 UTC.
func When(at core.Stamp) string { return at.Time().UTC().Format("2006-01-02 15:04 UTC") }

// since is the time between two stamps, cut to 146 years either way so that
// rounding it stays within a Duration.
func since(from, to core.Stamp) time.Duration {
	const longest = int64(1<<62) / 1000
	micros := min(max(int64(to-from), -longest), longest)
	return time.Duration(micros) * time.Microsecond
}

func roundUp(d, unit time.Duration) time.Duration { return (d-1)/unit*unit + unit }

// twoUnits writes d in a large and a small unit, leaving out what is zero.
func twoUnits(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	many, rest := d/large, d%large/small
	switch {
	case many == 0:
		return fmt.Sprintf("%d%s", rest, smallName)
	case rest == 0:
		return fmt.Sprintf("%d%s", many, largeName)
	}
	return fmt.Sprintf("%d%s %d%s", many, largeName, rest, smallName)
}
