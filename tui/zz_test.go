package tui

import (
	"fmt"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	for _, s := range [][2]int{{80, 24}, {44, 16}} {
		d := drive(t, acme, s[0], s[1])
		d.press("2", "g", "d")
		fmt.Println(d.frame())
	}
	var dense fixture
	for i := range 130 {
		dense.tasks = append(dense.tasks, fixtureTask{id: fmt.Sprintf("a%05d", i), title: fmt.Sprintf("Task %d", i), age: time.Duration(200-i) * hour})
		for j := range i {
			dense.edges = append(dense.edges, fmt.Sprintf("a%05d > a%05d", j, i))
		}
	}
	var diamonds fixture
	for i := range 24 {
		for _, k := range []string{"a", "b", "c"} {
			diamonds.tasks = append(diamonds.tasks, fixtureTask{id: fmt.Sprintf("%s%05d", k, i), title: "Task " + k, age: time.Duration(200-i) * hour})
		}
		diamonds.edges = append(diamonds.edges, fmt.Sprintf("a%05d > b%05d", i, i), fmt.Sprintf("a%05d > c%05d", i, i))
		if i > 0 {
			diamonds.edges = append(diamonds.edges, fmt.Sprintf("b%05d > a%05d", i-1, i), fmt.Sprintf("c%05d > a%05d", i-1, i))
		}
	}
	var hub fixture
	hub.tasks = append(hub.tasks, fixtureTask{id: "b00000", title: "hub"})
	for i := range 3000 {
		hub.tasks = append(hub.tasks, fixtureTask{id: fmt.Sprintf("a%05d", i), title: fmt.Sprintf("Task %d", i), age: hour})
		hub.edges = append(hub.edges, fmt.Sprintf("a%05d > b00000", i))
	}
	for i, f := range []fixture{dense, diamonds, hub} {
		d := drive(t, f, 140, 40)
		d.press("2")
		if i < 2 { for range 60-40*i { d.press("j") } }
		d.press("g", "d")
		g := d.m.screen().(*graph)
		began := time.Now()
		g.load(d.m, false)
		d.run(g.read(d.m))
		fmt.Println("load", time.Since(began), len(g.data.Nodes), len(g.data.Edges), g.data.Layers, g.data.Total, g.data.More)
		g.planned = nil
		began = time.Now()
		d.m.frame()
		fmt.Println("first frame", time.Since(began), len(g.sheet), g.plan.w, g.plan.h)
		began = time.Now()
		d.m.frame()
		fmt.Println("frame", time.Since(began))
		fmt.Println(d.frame())
	}
}
