package main

import (
	"fmt"
	"time"
)

// command is one of the commands used most, as a whole process.
type command struct {
	name      string
	arguments func(*subject) []string
	after     func(*subject) []string // a command that puts things back, uncounted
}

func always(arguments ...string) func(*subject) []string {
	return func(*subject) []string { return arguments }
}

// commands are the ten commands used most.
var commands = []command{
	{name: "task ready", arguments: always("task", "ready", "--json")},
	{name: "task get", arguments: func(s *subject) []string { return []string{"task", "get", s.any()[:12], "--json"} }},
	{name: "task list --limit 50", arguments: always("task", "list", "--limit", "50", "--json")},
	{name: "task blocked", arguments: always("task", "blocked", "--json")},
	{name: "task why", arguments: func(s *subject) []string { return []string{"task", "why", s.ID(s.Chain + 5), "--json"} }},
	{name: "task create", arguments: always("task", "create", "One more", "--project", "project-07", "--json")},
	{name: "task next", arguments: always("task", "next", "--json")},
	{name: "task claim", arguments: func(s *subject) []string { return []string{"task", "claim", s.task(), "--aspect", "review", "--json"} }},
	{name: "task complete", arguments: func(s *subject) []string { return []string{"task", "complete", s.other(), "--json"} },
		after: func(s *subject) []string { return []string{"task", "reopen", s.other(), "--json"} }},
	{name: "task edge upsert", arguments: func(s *subject) []string {
		a, b := s.plain[s.turn%len(s.plain)], s.plain[(s.turn*31+17)%len(s.plain)]
		return []string{"task", "edge", "upsert", s.ID(min(a, b)), s.ID(max(a, b)), "--type", "blocks", "--json"}
	}},
}

// measureCommands measures whole processes at every size.
func (b *bench) measureCommands() {
	times := make([][]time.Duration, len(commands))
	against := make([][]float64, len(commands))
	for _, size := range b.sizes {
		f := b.ordinary(size)
		s := &subject{fixture: f, plain: f.Plain()}
		for i, c := range commands {
			s.turn = size % 97 // other tasks than other commands have met
			run := func(int) time.Duration {
				s.turn++
				took := b.start(false, b.lithos, append([]string{"--db", f.path}, c.arguments(s)...)...).took
				if c.after != nil {
					b.start(false, b.lithos, append([]string{"--db", f.path}, c.after(s)...)...)
				}
				return took
			}
			measured := turns(max(b.turns/2, 3), run, b.whole(b.empty))
			times[i] = append(times[i], median(measured.ours))
			against[i] = append(against[i], measured.ratio())
		}
	}
	for i, c := range commands {
		b.report.growth(fmt.Sprintf("`%s`", c.name), b.sizes, times[i], against[i])
	}
}
