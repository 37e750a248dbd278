package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"

	"dev.lithos/core"
)

// configKind is the type of a value in a configuration file.
type configKind int

const (
	configText configKind = iota
	configSwitch
	configNumber
	configTable // free names: action to keys, name to filter
)

// configKey is one key of the configuration.
type configKey struct {
	name        string // dotted as it stands below its table
	kind        configKind
	fallback    string
	words       []string // closed vocabulary
	least, most int      // bounds of a number
	variable    string   // environment variable with the same meaning
	summary     string
}

// configKeys lists every key in the order that `lithos config` shows them.
var configKeys = []configKey{
	{name: "agent", variable: "LITHOS_AGENT", summary: "who acts; else the login name"},
	{name: "theme", summary: "colours of the terminal UI"},
	{name: "mouse", kind: configSwitch, fallback: "true", variable: "LITHOS_MOUSE", summary: "the terminal UI takes the mouse"},
	{name: "ascii", kind: configSwitch, fallback: "false", variable: "LITHOS_ASCII", summary: "marks and borders in ASCII"},
	{name: "color", fallback: "auto", words: []string{"auto", "always", "never"}, summary: "colour for people"},
	{name: "keys", kind: configTable, summary: "keys of the terminal UI: action = [\"key\", …]"},
	{name: "filters", kind: configTable, summary: "saved filters of the terminal UI: name = \"text\""},
	{name: "coordination.claim_default_ttl_minutes", kind: configNumber, fallback: strconv.Itoa(core.DefaultClaimMinutes), least: 1, most: core.LongestClaimMinutes, summary: "lease when a claim names none"},
	{name: "coordination.claim_max_ttl_minutes", kind: configNumber, fallback: strconv.Itoa(core.LongestClaimMinutes), least: 1, most: core.LongestClaimMinutes, summary: "longest lease"},
	{name: "coordination.max_hierarchy_depth", kind: configNumber, fallback: strconv.Itoa(core.DefaultMaxHierarchyDepth), least: 1, most: 1_000_000, summary: "levels of parent and child"},
	{name: "storage.max_content_size_bytes", kind: configNumber, fallback: strconv.Itoa(core.MaxTextBytes), least: 1, most: 1_000_000_000, summary: "longest note"},
	{name: "storage.knowledge_dir", fallback: "knowledge", summary: "folder of the notes, from the data folder"},
	{name: "storage.synchronous", fallback: "full", words: []string{"full", "normal"}, summary: "full survives a power cut, normal may lose the last commits"},
	{name: "backup.dir", fallback: backupsFolder, summary: "folder of the backups, from the store's folder"},
}

func configKeyNamed(name string) (configKey, bool) {
	i := slices.IndexFunc(configKeys, func(k configKey) bool { return k.name == name })
	if i < 0 {
		return configKey{}, false
	}
	return configKeys[i], true
}

// config holds the configuration of a call: files, environment and flags laid
// over the defaults.
type config struct {
	values  map[string]setting
	keys    map[string][]string // [keys]
	filters map[string]string   // [filters]
	// freeOrigins says where the entries of these two came from, by dotted name.
	freeOrigins map[string]origin
	// loginName is who acts where nothing else says so. It takes reading the
	// list of users, so it is asked for when it is needed.
	loginName func() string
}

// fromLogin is where the agent is from when it is the login name.
const fromLogin origin = "login name"

// configPaths are the files that are read, the later ones winning.
func configPaths(env *Env, at location) []string {
	paths := []string{filepath.Join(env.ConfigHome, "lithos", "config.toml")}
	if beside := filepath.Join(filepath.Dir(at.path), "config.toml"); filepath.Base(filepath.Dir(at.path)) == storeFolder && beside != paths[0] {
		paths = append(paths, beside)
	}
	return paths
}

// readConfig lays files, environment and flags over the defaults. With an
// error, the first one met, the rest is there as far as it could be read.
func readConfig(env *Env, g globals, at location) (config, error) {
	var fault error
	c := config{values: map[string]setting{}, keys: map[string][]string{}, filters: map[string]string{}, freeOrigins: map[string]origin{}, loginName: env.LoginName}
	for _, k := range configKeys {
		if k.kind != configTable {
			c.values[k.name] = setting{k.fallback, originDefault}
		}
	}
	for _, path := range configPaths(env, at) {
		err := c.readFile(path)
		if err != nil && filepath.Dir(path) == filepath.Dir(at.path) && isShut(path) {
			err = shutStore(at) // neither could the store be read
		}
		if err != nil && fault == nil {
			fault = err
		}
	}
	for _, k := range configKeys {
		text, ok := env.variable(k.variable)
		if k.variable == "" || !ok || text == "" {
			continue
		}
		value, err := k.read(text)
		if err != nil {
			if fault == nil {
				fault = refused(setting{text, fromVariable(k.variable)}, err)
			}
			continue
		}
		c.values[k.name] = setting{value, fromVariable(k.variable)}
	}
	c.settleASCII(env)
	c.settleColor(env, g)
	if g.agent.isSet() {
		c.values["agent"] = g.agent
	}
	if c.values["agent"].origin == originDefault {
		c.values["agent"] = setting{origin: fromLogin}
	}
	return c, fault
}

// settleASCII keeps to ASCII marks where the locale names another encoding
// than UTF-8, unless the configuration says otherwise.
func (c config) settleASCII(env *Env) {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		locale, ok := env.variable(name)
		if !ok || locale == "" {
			continue
		}
		encoding := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
		if !strings.Contains(encoding, "utf8") && c.values["ascii"].origin == originDefault {
			c.values["ascii"] = setting{"true", fromVariable(name)}
		}
		return
	}
}

// settleColor applies the variables that programs agree on, then the flag.
func (c config) settleColor(env *Env, g globals) {
	if v, ok := env.variable("CLICOLOR_FORCE"); ok && v != "" && v != "0" {
		c.values["color"] = setting{"always", fromVariable("CLICOLOR_FORCE")}
	}
	if v, ok := env.variable("NO_COLOR"); ok && v != "" {
		c.values["color"] = setting{"never", fromVariable("NO_COLOR")}
	}
	if g.color.isSet() {
		c.values["color"] = g.color
	}
}

func (c config) text(name string) string {
	value := c.values[name]
	if value.origin == fromLogin {
		return c.loginName()
	}
	return value.text
}

func (c config) on(name string) bool { return c.values[name].text == "true" }

// number returns a value that read has found to be a number.
func (c config) number(name string) int {
	n, err := strconv.Atoi(c.values[name].text)
	if err != nil {
		panic("cli: the configuration key " + name + " is no number")
	}
	return n
}

// settings are the values that operations obey.
func (c config) settings() core.Settings {
	return core.Settings{
		ClaimDefaultMinutes: c.number("coordination.claim_default_ttl_minutes"),
		ClaimMaxMinutes:     c.number("coordination.claim_max_ttl_minutes"),
		MaxHierarchyDepth:   c.number("coordination.max_hierarchy_depth"),
		MaxContentBytes:     c.number("storage.max_content_size_bytes"),
	}
}

// readFile lays one file over c; a file that is not there changes nothing.
func (c config) readFile(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return inFile(path, core.InvalidInput(core.ReasonMalformed, "config", fmt.Sprintf("The configuration cannot be read: %s.", plainReason(err))))
	}
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		message := "The configuration is no valid TOML."
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			message = fmt.Sprintf("The configuration is no valid TOML: line %d: %s.", syntax.Position.Line, syntax.Message)
		}
		return inFile(path, core.InvalidInput(core.ReasonMalformed, "config", message))
	}
	return inFile(path, c.readTree(path, "", tree))
}

// isShut reports whether the rights of the folders above a file forbid to look
// for it, whatever its own are.
func isShut(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrPermission)
}

// readTree reads a table; prefix is the name of the table with its dot.
func (c config) readTree(path, prefix string, tree map[string]any) error {
	for _, word := range slices.Sorted(maps.Keys(tree)) {
		name, value := prefix+word, tree[word]
		if sub, ok := value.(map[string]any); ok && isConfigSection(name) {
			if err := c.readTree(path, name+".", sub); err != nil {
				return err
			}
			continue
		}
		k, ok := configKeyNamed(name)
		if !ok {
			return unknownConfigKey(name)
		}
		if k.kind == configTable {
			if err := c.readFreeTable(path, k, value); err != nil {
				return err
			}
			continue
		}
		text, ok := k.textOf(value)
		if !ok {
			return core.InvalidInput(core.ReasonInvalidValue, name, fmt.Sprintf("'%s' must be %s.", name, k.kind))
		}
		text, err := k.read(text)
		if err != nil {
			return err
		}
		c.values[name] = setting{text, fromFile(path)}
	}
	return nil
}

// isConfigSection reports whether a name is a table whose keys are known.
func isConfigSection(name string) bool {
	return slices.ContainsFunc(configKeys, func(k configKey) bool { return strings.HasPrefix(k.name, name+".") })
}

// readFreeTable reads [keys] and [filters].
func (c config) readFreeTable(path string, k configKey, value any) error {
	table, ok := value.(map[string]any)
	if !ok {
		return core.InvalidInput(core.ReasonInvalidValue, k.name, fmt.Sprintf("'%s' must be a table.", k.name))
	}
	for _, word := range slices.Sorted(maps.Keys(table)) {
		name := k.name + "." + word
		c.freeOrigins[name] = fromFile(path)
		list, isList := table[word].([]any)
		text, isText := table[word].(string)
		switch {
		case k.name == "filters" && isText:
			c.filters[word] = text
		case k.name == "keys" && isText:
			c.keys[word] = []string{text}
		case k.name == "keys" && isList:
			words := []string{}
			for _, item := range list {
				text, isText := item.(string)
				if !isText {
					return core.InvalidInput(core.ReasonInvalidValue, name, fmt.Sprintf("'%s' must be a list of strings.", name))
				}
				words = append(words, text)
			}
			c.keys[word] = words
		default:
			return core.InvalidInput(core.ReasonInvalidValue, name, fmt.Sprintf("'%s' must be a string.", name))
		}
	}
	return nil
}

// String names the kind for messages.
func (k configKind) String() string {
	return [...]string{"a string", "true or false", "a whole number", "a table"}[k]
}

// textOf is a value of a file as text, when it is of the key's kind.
func (k configKey) textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, k.kind == configText
	case bool:
		return strconv.FormatBool(v), k.kind == configSwitch
	case int64:
		return strconv.FormatInt(v, 10), k.kind == configNumber
	}
	return "", false
}

// read judges the text of a value and returns its canonical form.
func (k configKey) read(text string) (string, error) {
	switch k.kind {
	case configSwitch:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return "", core.InvalidValue(k.name, text, fmt.Sprintf("'%s' must be true or false.", k.name))
		}
		return strconv.FormatBool(on), nil
	case configNumber:
		n, err := strconv.Atoi(text)
		if err != nil || n < k.least || n > k.most {
			return "", core.InvalidValue(k.name, text, fmt.Sprintf("'%s' must be a whole number from %d to %d.", k.name, k.least, k.most))
		}
		return strconv.Itoa(n), nil
	}
	if k.words != nil && !slices.Contains(k.words, text) {
		return "", core.InvalidWord(k.name, text, "value of '"+k.name+"'", k.words)
	}
	return text, nil
}

func unknownConfigKey(name string) error {
	return core.UnknownField(name, "configuration key", configKeyNames())
}

// configKeyNames are the names of all keys.
func configKeyNames() []string {
	var names []string
	for _, k := range configKeys {
		names = append(names, k.name)
	}
	return names
}

// inFile adds the file to the message of an error about it.
func inFile(path string, err error) error {
	if err == nil {
		return nil
	}
	e := core.AsError(err)
	e.Message += fmt.Sprintf(" (%s)", path)
	return e
}

// plainReason is what the operating system says, without the call and path
// that Go puts before it.
func plainReason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}
