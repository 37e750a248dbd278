package storm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dev.lithos/cli/exchange"
	"dev.lithos/core"
	"dev.lithos/store"
)

// account is what a store holds, or should hold: a line for each record with
// what of it an event tells.
type account struct {
	tasks, edges, claims, findings, agents map[string]string
}

func newAccount() *account {
	return &account{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
}

// audit examines a store that nobody writes to any more: whether the file is
// sound, the stored frontier right, and every record what the events make of
// it: nothing is there that no event tells of, and nothing an event tells of
// is missing. It returns the events, oldest first.
func (f *field) audit() []core.Event {
	f.Helper()
	s, err := store.Open(f.Context(), store.Options{Path: f.path, ReadOnly: true})
	if err != nil {
		f.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			f.Error(err)
		}
	}()
	if faults, err := s.IntegrityCheck(f.Context()); err != nil || len(faults) > 0 {
		f.Errorf("integrity: %v, %v", faults, err)
	}
	if differences, err := s.CheckFrontier(f.Context()); err != nil || len(differences) > 0 {
		f.Errorf("frontier: %v, %v", differences, err)
	}
	service := core.New(core.Config{Store: s, ReadOnly: true})
	limit := math.MaxInt32
	journal, err := core.Journal.Run(f.Context(), service, core.JournalRequest{Limit: &limit})
	if err != nil {
		f.Fatal(err)
	}
	events := journal.Events
	slices.Reverse(events)
	var export bytes.Buffer
	if _, err := exchange.Export(f.Context(), service, &export, "lithos", exchange.Plain, core.TaskListRequest{}); err != nil {
		f.Fatal(err)
	}
	told, held := f.told(events), f.held(export.Bytes())
	for _, pair := range []struct {
		kind       string
		told, held map[string]string
	}{
		{"task", told.tasks, held.tasks}, {"edge", told.edges, held.edges}, {"claim", told.claims, held.claims},
		{"finding", told.findings, held.findings}, {"agent", told.agents, held.agents},
	} {
		for _, key := range slices.Sorted(maps.Keys(pair.told)) {
			if got, ok := pair.held[key]; !ok || got != pair.told[key] {
				f.Errorf("%s %s is %q, the events make it %q", pair.kind, key, got, pair.told[key])
			}
		}
		for _, key := range slices.Sorted(maps.Keys(pair.held)) {
			if _, ok := pair.told[key]; !ok {
				f.Errorf("%s %s is there, and no event tells of it", pair.kind, key)
			}
		}
	}
	return events
}

// held reads an export.
func (f *field) held(export []byte) *account {
	f.Helper()
	a := newAccount()
	for line := range bytes.Lines(export) {
		var r struct {
			Type, ID, Status, Aspect, Agent string
			Version                         int64
			UpdatedAt                       string `json:"updated_at"`
			From                            string `json:"from_task_id"`
			To                              string `json:"to_task_id"`
			EdgeType                        string `json:"edge_type"`
			TaskID                          string `json:"task_id"`
			ExpiresAt                       string `json:"expires_at"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			f.Fatalf("%v in %s", err, line)
		}
		switch r.Type {
		case "task":
			a.tasks[r.ID] = fmt.Sprint(r.Status, " ", r.Version, " ", r.UpdatedAt)
		case "edge":
			a.edges[r.From+" "+r.EdgeType+" "+r.To] = ""
		case "claim":
			a.claims[r.TaskID+" "+r.Aspect] = r.Agent + " " + r.ExpiresAt
		case "finding":
			a.findings[r.ID] = r.TaskID
		case "agent":
			a.agents[r.ID] = ""
		}
	}
	return a
}

// told replays events. What contradicts itself on the way fails the test: a
// version that is skipped or comes twice, a claim on what somebody else holds.
func (f *field) told(events []core.Event) *account {
	f.Helper()
	a := newAccount()
	versions, stamps := map[string]int64{}, map[string]string{}
	var last int64
	for _, e := range events {
		if e.Seq <= last {
			f.Errorf("event %d follows %d", e.Seq, last)
		}
		last = e.Seq
		var p struct {
			TaskID    string `json:"task_id"`
			Version   int64
			UpdatedAt string `json:"updated_at"`
			Aspect    string
			ExpiresAt string `json:"expires_at"`
			From      string `json:"from_task_id"`
			To        string `json:"to_task_id"`
			Type      string
			FindingID *string `json:"finding_id"`
			AgentID   string  `json:"agent_id"`
			Created   bool
			Dropped   []struct{ Agent, Aspect string } `json:"dropped_claims"`
		}
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			f.Fatalf("event %d: %v", e.Seq, err)
		}
		if _, known := a.agents[e.Agent]; !known && e.Type != core.EventAgentRegistered {
			f.Errorf("event %d is by %s, who is not registered", e.Seq, e.Agent)
		}
		claim := p.TaskID + " " + p.Aspect
		holder, until, isHeld := cutLast(a.claims[claim])
		live := isHeld && until > e.Timestamp.String()
		switch e.Type {
		case core.EventTaskCreated, core.EventTaskUpdated, core.EventTaskCompleted, core.EventTaskCancelled, core.EventTaskReopened:
			if p.Version != versions[p.TaskID]+1 || p.UpdatedAt <= stamps[p.TaskID] {
				f.Errorf("event %d makes task %s version %d of %s, after %d of %s", e.Seq, p.TaskID, p.Version, p.UpdatedAt, versions[p.TaskID], stamps[p.TaskID])
			}
			versions[p.TaskID], stamps[p.TaskID] = p.Version, p.UpdatedAt
			status, _, _ := strings.Cut(a.tasks[p.TaskID], " ")
			switch e.Type {
			case core.EventTaskCreated, core.EventTaskReopened:
				status = "open"
			case core.EventTaskCompleted, core.EventTaskCancelled:
				if status != "open" {
					f.Errorf("event %d closes task %s, which is %s", e.Seq, p.TaskID, status)
				}
				status = strings.TrimPrefix(string(e.Type), "task.")
				dropped := 0
				for key, value := range a.claims {
					if strings.HasPrefix(key, p.TaskID+" ") {
						if _, until, _ := cutLast(value); until > e.Timestamp.String() {
							dropped++
						}
						delete(a.claims, key)
					}
				}
				if dropped != len(p.Dropped) {
					f.Errorf("event %d drops %d claims of %d", e.Seq, len(p.Dropped), dropped)
				}
			}
			a.tasks[p.TaskID] = fmt.Sprint(status, " ", p.Version, " ", p.UpdatedAt)
			if p.FindingID != nil {
				a.findings[*p.FindingID] = p.TaskID
			}
		case core.EventTaskClaimed:
			if live && holder != e.Agent {
				f.Errorf("event %d gives %s to %s, while %s has it until %s", e.Seq, claim, e.Agent, holder, until)
			}
			a.claims[claim] = e.Agent + " " + p.ExpiresAt
		case core.EventTaskRenewed:
			if !live || holder != e.Agent {
				f.Errorf("event %d renews %s for %s, while %q has it until %s", e.Seq, claim, e.Agent, holder, until)
			}
			a.claims[claim] = e.Agent + " " + p.ExpiresAt
		case core.EventTaskReleased:
			if holder != e.Agent {
				f.Errorf("event %d releases %s of %s, which %q has", e.Seq, claim, e.Agent, holder)
			}
			delete(a.claims, claim)
		case core.EventTaskEdgeUpserted:
			a.edges[p.From+" "+p.Type+" "+p.To] = ""
		case core.EventTaskEdgeDeleted:
			edge := p.From + " " + p.Type + " " + p.To
			if _, ok := a.edges[edge]; !ok {
				f.Errorf("event %d deletes the edge %s, which is not there", e.Seq, edge)
			}
			delete(a.edges, edge)
		case core.EventFindingPosted:
			a.findings[*p.FindingID] = p.TaskID
		case core.EventAgentRegistered:
			if _, known := a.agents[p.AgentID]; known == p.Created {
				f.Errorf("event %d registers %s anew: %t, known: %t", e.Seq, p.AgentID, p.Created, known)
			}
			a.agents[p.AgentID] = ""
		case core.EventNoteCreated, core.EventNoteUpdated, core.EventNoteDeleted, core.EventNoteRenamed, core.EventEdgeUpserted:
			// Notes are no part of this account.
		default:
			f.Errorf("event %d is %s, which no storm makes", e.Seq, e.Type)
		}
	}
	return a
}

// cutLast cuts a claim into its holder, whose name may be any text, and its end.
func cutLast(claim string) (holder, until string, ok bool) {
	at := strings.LastIndexByte(claim, ' ')
	if at < 0 {
		return "", "", false
	}
	return claim[:at], claim[at+1:], true
}
