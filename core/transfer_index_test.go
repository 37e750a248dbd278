package core

import (
	"fmt"
	"testing"
)

func TestIDIndex(t *testing.T) {
	x := NewIDIndex()
	ids := []string{
		"83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "83257CED-41a0-4f0e-9a55-0d5f0c1b7e21", "83257ced-41a0-4f0e-9a55-0d5f0c1b7e22", "83257ced41a04f0e9a550d5f0c1b7e21",
		"83257ced-41a0-4f0e-9a55-0d5f0c1b7e2", "83257ced-41a0-4f0e-9a55+0d5f0c1b7e21", "83257ceg-41a0-4f0e-9a55-0d5f0c1b7e21", "bd-1", "", "00000000-0000-0000-0000-000000000000",
	}
	for n, id := range ids {
		if _, found := x.Find(id); found {
			t.Errorf("%q is there before it was set", id)
		}
		x.Set(id, n+1)
	}
	for n, id := range ids {
		if got, found := x.Find(id); !found || got != n+1 {
			t.Errorf("%q has the number %d, %v", id, got, found)
		}
	}
	if len(x.uuids) != 3 {
		t.Errorf("%d of the ids were taken for UUIDs", len(x.uuids))
	}
	x.Set("bd-1", 77)
	if got, _ := x.Find("bd-1"); got != 77 {
		t.Errorf("the number of an id stays %d", got)
	}
}

func TestEdgeName(t *testing.T) {
	seen := map[edgeName]string{}
	for _, from := range []TaskKey{1, 2, 1<<31 - 1} {
		for _, to := range []TaskKey{1, 2, 3, 1<<31 - 1} {
			for _, kind := range EdgeTypes {
				text := fmt.Sprint(from, to, kind)
				name := edgeNameOf(from, to, kind)
				if other, taken := seen[name]; taken {
					t.Errorf("%s and %s have one name", other, text)
				}
				seen[name] = text
			}
		}
	}
}
