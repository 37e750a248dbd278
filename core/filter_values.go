package core

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
)

// mostValueTasks is how many of the newest open tasks are looked at for values,
// so that the answer comes at once in a store of any size.
const mostValueTasks = 2_000

// FilterValues lists what a key of a filter can be given in this store, at most
// limit values: of tag, project and by those of the newest open tasks that begin
// so, the most frequent first; of agent those who hold claims now; of epic the
// titles of open epics that contain the text, by priority. Case is ignored. The
// other keys have fixed values, see [FilterStates]; for them the list is empty.
// key may be one of [FilterAliases].
func (s *Service) FilterValues(ctx context.Context, key, begin string, limit int) ([]string, error) {
	begin = foldCase(begin)
	return look(ctx, s, func(v view) ([]string, error) {
		var found []string
		var err error
		switch filterKey(key) {
		case "tag":
			found, err = v.valuesOfTasks(begin, func(t Task) []string { return t.Tags.List() })
		case "project":
			found, err = v.valuesOfTasks(begin, func(t Task) []string { return []string{t.Project()} })
		case "by":
			found, err = v.valuesOfTasks(begin, func(t Task) []string { return []string{t.CreatedBy} })
		case "agent":
			found, err = v.holdersCalled(begin)
		case "epic":
			found, err = v.epicsCalled(begin)
		}
		return found[:min(len(found), limit)], err
	})
}

// valuesOfTasks counts what open tasks have.
func (v view) valuesOfTasks(begin string, of func(Task) []string) ([]string, error) {
	counts := map[string]int{}
	err := v.ReadTx.EachTask(TaskQuery{Status: StatusOpen, Brief: true, Limit: mostValueTasks}, func(t Task) bool {
		for _, value := range of(t) {
			if value != "" && strings.HasPrefix(foldCase(value), begin) {
				counts[value]++
			}
		}
		return true
	})
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	}), err
}

// holdersCalled are the agents with live claims whose names begin so.
func (v view) holdersCalled(begin string) ([]string, error) {
	keys, err := v.ColumnKeys(columnQuery(ColumnClaimed, "", v.now), 0, mostValueTasks)
	if err != nil {
		return nil, err
	}
	claims, err := v.Claims(keys, v.now)
	var found []string
	for _, list := range claims {
		for _, claim := range list {
			if strings.HasPrefix(foldCase(claim.Agent), begin) {
				found = append(found, claim.Agent)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), err
}

func (v view) epicsCalled(text string) ([]string, error) {
	keys, err := v.OpenEpics(maxSearchedEpics)
	if err != nil {
		return nil, err
	}
	epics, err := v.BriefTasks(keys)
	var found []string
	for _, epic := range epics {
		if epic.isNamed(text) {
			found = append(found, epic.Title)
		}
	}
	return found, err
}
