package cli

import "testing"

// TestCommands holds the table of commands together: what is required stands
// before what is not, names and letters are used once, and no flag hides a
// global one.
func TestCommands(t *testing.T) {
	rootCommand().walk(func(c *command) {
		seen := map[string]bool{}
		for _, sub := range c.commands() {
			for _, name := range append([]string{sub.name}, sub.aliases...) {
				if seen[name] {
					t.Errorf("%s has two commands %s", c.path(), name)
				}
				seen[name] = true
			}
		}
		flags := map[string]bool{"help": true, "h": true}
		for _, f := range append(c.flags[:len(c.flags):len(c.flags)], globalFlags...) {
			if flags[f.name] || flags[f.short] && f.short != "" {
				t.Errorf("%s has two flags --%s or -%s", c.path(), f.name, f.short)
			}
			flags[f.name] = true
			if f.short != "" {
				flags[f.short] = true
			}
			if f.many && f.isSwitch() {
				t.Errorf("--%s of %s is a switch that may be given several times", f.name, c.path())
			}
		}
		for i, a := range c.arguments {
			if a.many && i < len(c.arguments)-1 || i > 0 && c.arguments[i-1].optional && !a.optional {
				t.Errorf("the arguments of %s are out of order", c.path())
			}
		}
		if c.run == nil && c.group == nil {
			t.Errorf("%s does nothing", c.path())
		}
	})
}

// TestCommands_areMadeWhenAskedFor reads command lines and looks which of the
// groups of commands have been made: those on the way alone.
func TestCommands_areMadeWhenAskedFor(t *testing.T) {
	for _, c := range []struct {
		args []string
		made int
	}{
		{[]string{"version"}, 1},
		{[]string{"task", "ready", "--limit", "5"}, 2},
		{[]string{"task", "edge", "list", "5f0d3c"}, 3},
	} {
		root := rootCommand()
		if _, err := readArguments(root, c.args); err != nil {
			t.Fatalf("%v: %v", c.args, err)
		}
		made := 0
		var count func(*command)
		count = func(c *command) {
			if c.below != nil {
				made++
			}
			for _, sub := range c.below {
				count(sub)
			}
		}
		count(root)
		if made != c.made {
			t.Errorf("%v: %d groups were made, not %d", c.args, made, c.made)
		}
	}
}
