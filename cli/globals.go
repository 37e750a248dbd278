package cli

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"dev.lithos/core"
)

// The flags that every command takes. jsonFlag and jqFlag are named because
// they also steer how faults of the command line itself are reported.
var (
	jsonFlag = flag{name: "json", summary: "print one JSON document"}
	jqFlag   = flag{name: "jq", value: "EXPR", summary: "filter the JSON document (implies --json); strings are printed raw"}

	globalFlags = []flag{
		{name: "db", value: "PATH", variable: "LITHOS_DB", completes: fileNames, summary: "the store file"},
		{name: "data-dir", short: "d", value: "DIR", variable: "LITHOS_DATA_DIR", completes: fileNames, summary: "folder whose .lithos/ holds the store"},
		{name: "agent", value: "NAME", variable: "LITHOS_AGENT", completes: agentNames, summary: "who acts", fallback: "config, else login name"},
		jsonFlag,
		jqFlag,
		{name: "color", value: "WHEN", words: []string{"auto", "always", "never"}, summary: "colour for people: auto, always or never", fallback: "auto"},
		{name: "timeout", value: "DURATION", variable: "LITHOS_TIMEOUT", summary: "bound on one operation", fallback: "30s"},
		{name: "log-level", value: "LEVEL", variable: "LITHOS_LOG", words: []string{"debug", "info", "warn", "error"}, summary: "logs on stderr: debug, info, warn or error", fallback: "warn"},
		{name: "read-only", variable: "LITHOS_READ_ONLY", summary: "refuse every change"},
		{name: "quiet", short: "q", summary: "no hints, no progress"},
	}
)

func isGlobal(f flag) bool {
	return slices.ContainsFunc(globalFlags, func(g flag) bool { return g.name == f.name })
}

// defaultTimeout bounds an operation unless something else is asked for.
const defaultTimeout = 30 * time.Second

// origin says where a value came from.
type origin string

const originDefault origin = "default"

func fromFlag(name string) origin     { return origin("flag --" + name) }
func fromVariable(name string) origin { return origin("environment " + name) }
func fromFile(path string) origin     { return origin("file " + path) }

// setting is a value with where it came from.
type setting struct {
	text   string
	origin origin
}

func (s setting) isSet() bool { return s.origin != "" }

// globals are the values of the global flags, from flags and environment.
// Where neither says anything, configuration and defaults still may.
type globals struct {
	db, dataDir, agent, color setting
	jq                        setting
	json                      bool
	timeout                   time.Duration // 0: no bound
	timeoutGiven              bool
	logLevel                  slog.Level
	readOnly                  bool
	quiet                     bool
}

// readGlobals settles the global flags of a call.
func readGlobals(env *Env, flags []givenFlag) (globals, error) {
	settings := map[string]setting{}
	for _, f := range globalFlags {
		if value, ok := env.variable(f.variable); ok && f.variable != "" && value != "" {
			settings[f.name] = setting{value, fromVariable(f.variable)}
		}
	}
	for _, g := range flags {
		if isGlobal(g.flag) {
			settings[g.flag.name] = setting{g.value, fromFlag(g.flag.name)}
		}
	}
	for _, f := range globalFlags {
		if s := settings[f.name]; s.isSet() && f.words != nil && !slices.Contains(f.words, s.text) {
			return globals{}, refused(s, core.InvalidWord(f.field(), s.text, "value of --"+f.name, f.words))
		}
	}
	g := globals{
		db: settings["db"], dataDir: settings["data-dir"], agent: settings["agent"], color: settings["color"],
		jq: settings["jq"], timeout: defaultTimeout, logLevel: slog.LevelWarn,
	}
	g.json = settings["json"].text == "true" || g.jq.isSet()
	g.quiet = settings["quiet"].text == "true"
	for field, path := range map[string]setting{"db": g.db, "data_dir": g.dataDir} {
		if path.isSet() && path.text == "" {
			return g, core.InvalidInput(core.ReasonInvalidValue, field, "The path of the store is empty.")
		}
	}
	var err error
	if s := settings["read-only"]; s.isSet() {
		if g.readOnly, err = strconv.ParseBool(s.text); err != nil {
			return g, refused(s, core.InvalidValue("read_only", s.text, fmt.Sprintf("'%s' is neither true nor false.", s.text)))
		}
	}
	if s := settings["timeout"]; s.isSet() {
		if g.timeout, err = parseDuration("timeout", s.text, 1); err != nil {
			return g, refused(s, err)
		}
		g.timeoutGiven = true
	}
	if s := settings["log-level"]; s.isSet() {
		if err := g.logLevel.UnmarshalText([]byte(s.text)); err != nil {
			return g, refused(s, core.InvalidValue("log_level", s.text, fmt.Sprintf("'%s' is no log level.", s.text)))
		}
	}
	return g, nil
}

// refused adds to the message where a refused value came from, unless that
// is plain to see on the command line.
func refused(s setting, err error) error {
	e := core.AsError(err)
	if !strings.HasPrefix(string(s.origin), "flag ") {
		e.Message += fmt.Sprintf(" (%s)", s.origin)
	}
	return e
}
