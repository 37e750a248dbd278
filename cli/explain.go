package cli

import (
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// codeExplanation is what is known of an error code.
type codeExplanation struct {
	Code     core.Code     `json:"code"`
	Category core.Category `json:"category"`
	Exit     int           `json:"exit"`
	HTTP     int           `json:"http"`
	Extras   []string      `json:"extras"`
	When     string        `json:"when"`
	Remedy   string        `json:"remedy"`
}

// topicExplanation is a subject explained in a few paragraphs.
type topicExplanation struct {
	Topic string `json:"topic"`
	Text  string `json:"text"`
}

// explainList is what can be explained.
type explainList struct {
	Topics []string    `json:"topics"`
	Codes  []core.Code `json:"codes"`
}

// explainName is the name of the command.
const explainName = "explain"

func explainCommand() *command {
	return &command{
		name: explainName, summary: "explain an error code or a topic",
		details: "Topics: " + strings.Join(topicNames(), ", ") + ".\n" +
			"Without a name, everything that can be explained is listed.",
		arguments: []argument{{name: "NAME", parameter: "topic", optional: true, completes: errorCodes}},
		examples:  []string{"lithos explain claim_failed", "lithos explain ready"},
		anyConfig: true,
		run:       runExplain,
	}
}

func runExplain(c *call) error {
	name := c.argument(0)
	if c.invalid != nil {
		return c.invalid
	}
	if name == "" {
		return c.explainAll()
	}
	if info := core.Describe(core.Code(name)); info.Code != "" {
		return c.explainCode(info)
	}
	for _, topic := range topics {
		if topic.Topic == name {
			return c.show(topic, func(p *page) { p.prose(topic.Text) })
		}
	}
	return core.InvalidWord("topic", name, "error code or topic", explainable())
}

// explainable lists every name that can be explained, topics first.
func explainable() []string {
	names := topicNames()
	for _, info := range core.Registry {
		if name := string(info.Code); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (c *call) explainAll() error {
	list := explainList{Topics: topicNames(), Codes: []core.Code{}}
	for _, info := range core.Registry {
		list.Codes = append(list.Codes, info.Code)
	}
	return c.show(list, func(p *page) {
		if !p.terminal {
			for _, name := range explainable() {
				p.fields(name)
			}
			return
		}
		const heading = "Topics:"
		p.line("%s", display.Hanging(p.look(bold, heading)+" "+strings.Join(list.Topics, ", "), len(heading)+1, p.width))
		p.line("")
		table := &table{columns: []column{
			{title: "CODE", keep: true}, {title: "EXIT", right: true, keep: true}, {title: "WHEN", gives: 20, keep: true},
		}}
		for _, info := range core.Registry {
			table.add(cell{text: string(info.Code), look: bold}, cell{text: fmt.Sprint(info.Exit())}, cell{text: info.When})
		}
		table.write(p)
	})
}

func (c *call) explainCode(info core.CodeInfo) error {
	e := codeExplanation{
		Code: info.Code, Category: info.Category, Exit: info.Exit(), HTTP: info.HTTP,
		Extras: append([]string{}, info.Extras...), When: info.When, Remedy: info.Remedy,
	}
	return c.show(e, func(p *page) {
		p.facts([][2]string{
			{"code", string(e.Code)}, {"when", e.When}, {"what to do", e.Remedy},
			{"exit status", fmt.Sprint(e.Exit)}, {"category", string(e.Category)}, {"HTTP status", fmt.Sprint(e.HTTP)},
			{"extras", strings.Join(e.Extras, ", ")},
		})
	})
}

func topicNames() []string {
	var names []string
	for _, topic := range topics {
		names = append(names, topic.Topic)
	}
	return names
}

// topics are the subjects that help does not cover command by command.
var topics = []topicExplanation{
	{"ready", `A task is ready when it is open, a plain task, and nothing holds it back: every task that
blocks it is completed, every gate it waits for is satisfied. Epics and gates are headings
and conditions and are never ready. Parents, children and claims play no part.

A cancelled blocker holds its waiters back for good, until somebody reopens and completes
it, or deletes the edge.

  lithos task ready      what can be started, best first
  lithos task blocked    the rest, with what holds it back
  lithos task why ID     the whole story of one task, and what to do first

Order: priority (highest, high, medium, low, lowest; none counts as medium), then age.
--sort impact puts first what most tasks wait for.`},
	{"gates", `A gate stands for a condition outside the graph. A task waits for it over an edge of type
waits_on_gate. Gate types: ` + strings.Join(words(core.GateTypes), ", ") + `.

A timer gate opens by itself at its ready_at; nothing needs to run for that. Every other
gate is passed by completing it. A cancelled gate is never satisfied.

  lithos task create "Release approved" --type gate --gate-type human
  lithos task create "Thaw" --type gate --gate-type timer --ready-at +3d
  lithos task edge upsert GATE TASK --type waits_on_gate
  lithos task complete GATE`},
	{"claims", `A claim is a lease on one aspect of a task: it says that somebody works on it, and it ends
by itself. The aspect is 'work' unless another is named, so that somebody else may hold
'review' meanwhile. Of several who claim at once exactly one wins; the others get exit
status 6 with the holder and the time left.

  lithos task next        pick the best ready task and claim it, in one step
  lithos task claim ID    claim this one
  lithos task renew ID    count the lease from now again
  lithos task release ID  give it back

Leases last 60 minutes unless --ttl says otherwise, at most 8 hours. Claims never change
what is ready, and completing or cancelling a task ends them.`},
	{"priority", `A task's priority is one of five words in its metadata: highest, high, medium, low, lowest.
--priority takes them, or P0 to P4; lists show P0 to P4. None counts as medium, and so does
anything else that --meta priority=… or an agent may have put there.

  lithos task create "Mend the pump" --priority P0
  lithos task update ID --priority low`},
	{"edges", `An edge joins two tasks and says what one is to the other. It is written from the one that
comes first: what blocks, the gate, the parent, the task in which something was found.

  blocks           the second cannot start before the first is completed
  waits_on_gate    the second waits until the gate, the first, is satisfied
  parent_child     the second is a part of the first; holds nothing back
  discovered_from  the second was found in work on the first; holds nothing back

  lithos task edge upsert FIRST SECOND --type blocks
  lithos task create "Announce it" --depends-on FIRST
  lithos task edge list ID

An edge of the first three types that would close a ring is refused with that ring. Edges
between notes are others: lithos note edge --help.`},
	{"notes", `A note is a Markdown file in the folder knowledge beside .lithos, for what is worth knowing
beyond one task. Any editor may change the files; every note command takes up what
has changed. [[name]] in the text links to the note of that title, path or file name.

  lithos note write TITLE    write one, in the editor on a terminal
  lithos note search WORDS   find some, by words and along links
  lithos note read ID        read one
  lithos note related ID     what is joined to it
  lithos note edit ID        change one in the editor

A note keeps its id, wherever its file is moved.`},
	{"backups", `A backup is a copy of the whole store in one file that has been checked, with the notes. It
can be taken while others work. Every restore first takes one of the store as it is.

  lithos backup take           take one
  lithos backup list           those there are, and the folder they lie in
  lithos backup verify FILE    check one
  lithos backup restore FILE   put one in the place of the store
  lithos doctor                what is wrong with the store, and what to do

A store that is damaged: lithos doctor says what helps; lithos export --salvage saves what
can still be read.`},
	{"ids", `Ids are opaque. Any id may be shortened to its first 6 characters or more, as long as it
stays unique; an id that exists exactly always wins over longer ones. Lists show the
shortest form that can be typed back; get, piped output and --json show ids whole.

An ambiguous prefix is an error with exit status 3 that lists the candidates. Case counts,
and nothing is guessed.`},
	{"scripting", `With --json every command prints exactly one JSON document on standard output: the result,
or an error {"status": "error", "code": "...", "message": "..."}. Branch on code, or on the exit
status:

   0  done
   2  bad input or usage
   3  not found, or ambiguous
   4  the graph forbids it
   5  the version moved on
   6  somebody else holds the claim
   7  busy or timed out: try again
   8  the store cannot be used
   9  the feed's cursor has expired
  10  denied
  70  a fault of lithos
  74  standard output cannot be written

--jq filters the document and prints strings raw:

  lithos task ready --jq '.tasks[].id'

Without --json, piped lists are tab-separated with whole ids, one task a line, and create
prints the new id alone. A call with --request-id may be repeated safely. task apply runs
many changes as one. events --since N reads what changed; events --follow keeps reading.`},
}
