package core

import (
	"fmt"
	"strings"
)

// suspect is an edge that came in between tasks of which the store had one at
// least: only such edges close rings that neither file nor store had alone.
type suspect struct {
	line int
	edge Edge
}

// maxSuspects bounds how many edges of one import are looked at for rings.
const maxSuspects = 1000

// suspect keeps an edge for nameRings.
func (m *merge) suspect(rec *TransferRecord, from, to end) {
	if from.isNew() && to.isNew() || len(m.suspects) == maxSuspects {
		return
	}
	edge := rec.Edge
	edge.From, edge.To = from.key, to.key
	m.suspects = append(m.suspects, suspect{rec.Line, edge})
}

// nameRings reports the rings that edges of the file close with edges that the
// store had: their tasks stay blocked until an edge of them goes. Rings of the
// file alone are as they were.
func (m *merge) nameRings() error {
	mayHold, err := m.MayHaveRings()
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, s := range m.suspects {
		family := []EdgeType{EdgeParentChild}
		switch {
		case s.edge.Type.IsDependency() && mayHold:
			family = dependencyTypes
		case s.edge.Type != EdgeParentChild:
			continue
		}
		path, err := ringPath(m, s.edge.From, s.edge.To, family, false)
		if err != nil {
			return err
		}
		if path == nil || named[ringName(path)] {
			continue
		}
		named[ringName(path)] = true
		m.problem(s.line, s.edge.ToID, fmt.Sprintf("The %s edge from '%s' closes a ring: %s.",
			s.edge.Type, s.edge.FromID, ringText(path)))
	}
	return nil
}

// maxRingShown is how many tasks of a ring a problem names.
const maxRingShown = 8

// ringText names the tasks of a ring in order.
func ringText(path []TaskName) string {
	ids := make([]string, 0, maxRingShown)
	for i, task := range path {
		if len(path) > maxRingShown && i == maxRingShown-2 {
			ids = append(ids, fmt.Sprintf("%d more", len(path)-maxRingShown+1))
			break
		}
		ids = append(ids, task.ID)
	}
	if len(path) > maxRingShown {
		ids = append(ids, path[len(path)-1].ID)
	}
	return strings.Join(ids, " → ")
}

// ringName is the same for a ring wherever one begins to walk it.
func ringName(path []TaskName) string {
	ring := path[:len(path)-1] // the last is the first again
	first := 0
	for i := range ring {
		if ring[i].ID < ring[first].ID {
			first = i
		}
	}
	var name strings.Builder
	for i := range ring {
		name.WriteString(ring[(first+i)%len(ring)].ID)
		name.WriteByte('\n')
	}
	return name.String()
}
