package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

var frameTimes = regexp.MustCompile(`(?m)^BenchmarkFrame\S*\s.*\s([\d.]+) ns/few\s+([\d.]+) ns/many`)

// measureScreen measures a key with its frame on a board of a hundred rows and
// of very many. The board's model is known to its own package only, so the
// benchmark of that package is run.
func (b *bench) measureScreen() {
	command := exec.Command("go", "test", "./tui", "-run", "^$", "-bench", "^BenchmarkFrame$", "-benchtime", fmt.Sprintf("%dx", b.turns*10))
	command.Dir = b.module
	out, err := command.CombinedOutput()
	if err != nil {
		check(fmt.Errorf("the benchmark of the board: %w\n%s", err, out))
	}
	match := frameTimes.FindSubmatch(out)
	if match == nil {
		check(fmt.Errorf("the benchmark of the board says nothing:\n%s", out))
	}
	few, err := strconv.ParseFloat(string(match[1]), 64)
	check(err)
	many, err := strconv.ParseFloat(string(match[2]), 64)
	check(err)
	b.report.add("limits", figure{what: "a key with its frame on the board, of one at 100 rows", size: "100 k + 100 k rows", value: many / few, limit: 1.2, unit: "×",
		detail: fmt.Sprintf("%s; %s", short(time.Duration(many)), short(time.Duration(few)))})
}
