package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"

	"dev.lithos/core"
)

// profileName is a flag that help does not show, for people who report that
// something is slow: --profile cpu FILE or --profile mem FILE measures the call
// and writes what 'go tool pprof' reads.
const profileName = "profile"

// The kinds of profiles.
const (
	profileCPU = "cpu"
	profileMem = "mem"
)

// profile says what of a call is measured.
type profile struct{ kind, path string }

// profileFlag reads the kind and the file after --profile, and returns how many
// arguments belong to it. value is a kind given as --profile=KIND.
func (r *reader) profileFlag(value string, hasValue bool, rest []string) (used int) {
	if !hasValue {
		if len(rest) > 0 {
			value = rest[0]
		}
		used = 1
	}
	switch {
	case value != profileCPU && value != profileMem:
		r.fail(core.InvalidWord(profileName, value, "kind of profile", []string{profileCPU, profileMem}))
		return min(used, len(rest))
	case len(rest) <= used || strings.HasPrefix(rest[used], "-"):
		r.fail(usageFault{reason: core.ReasonMissingField, field: profileName,
			message: fmt.Sprintf("--%s needs a file: --%s %s FILE.", profileName, profileName, value)}.err())
		return used
	}
	r.profile = &profile{value, rest[used]}
	return used + 1
}

// allocationsBetweenSamples is how many bytes are allocated from one sample of
// a memory profile to the next. The runtime's own step would miss a short call.
const allocationsBetweenSamples = 4 << 10

// profiled runs a call and measures it when that is asked for. A profile that
// cannot be begun refuses the call; one that cannot be finished is a warning,
// for by then the call is done.
func (c *call) profiled(run func() error) error {
	p := c.invocation.profile
	if p == nil {
		return run()
	}
	path := c.env.absolute(p.path)
	file, err := os.Create(path)
	if err == nil && p.kind == profileCPU {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		return core.InvalidValue(profileName, p.path, fmt.Sprintf("The profile cannot be written: %s.", plainReason(err)))
	}
	if p.kind == profileMem {
		runtime.MemProfileRate = allocationsBetweenSamples
	}
	result := run()
	if p.kind == profileCPU {
		pprof.StopCPUProfile()
	} else {
		runtime.GC() // what was let go counts as such
		err = pprof.Lookup("allocs").WriteTo(file, 0)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		c.session.log.Warn("the profile was not written", "error", plainReason(err))
	}
	return result
}
