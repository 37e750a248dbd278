package storm

import "maps"

// subjects are the tasks and notes that hostile commands are about.
type subjects struct{ task, otherTask, note, otherNote, noteEdge string }

// prepare makes them.
func (f *field) prepare() (s subjects) {
	f.Helper()
	s.task = f.lithos("task", "create", "First", "--agent", setUp, "--jq", ".task_id")
	s.otherTask = f.lithos("task", "create", "Second", "--agent", setUp, "--jq", ".task_id")
	s.note = f.lithos("note", "write", "First", "--content", "What was learned.", "--agent", setUp, "--jq", ".id")
	s.otherNote = f.lithos("note", "write", "Second", "--content", "See [[first]].", "--agent", setUp, "--jq", ".id")
	s.noteEdge = f.lithos("note", "edge", "upsert", s.note, s.otherNote, "--type", "contradicts", "--namespace", "storm", "--agent", setUp, "--jq", ".edge_id")
	return s
}

// places are the commands that take a text, which stands for the X.
func places(s subjects) map[string][]string {
	all := notePlaces(s)
	maps.Copy(all, taskPlaces(s.task, s.otherTask))
	return all
}

// notePlaces are those about notes.
func notePlaces(s subjects) map[string][]string {
	return map[string][]string{
		"note title":         {"note", "write", "--content", "C", "--", "X"},
		"note content":       {"note", "write", "Content", "--content=X"},
		"note file":          {"note", "write", "File", "--file=X"},
		"note path":          {"note", "write", "Path", "--content", "C", "--path=X"},
		"note id":            {"note", "write", "Id", "--content", "C", "--id=X"},
		"note tag":           {"note", "write", "Tag", "--content", "C", "--tag=X"},
		"note agent":         {"note", "write", "Agent", "--content", "C", "--agent=X"},
		"note confidence":    {"note", "write", "Confidence", "--content", "C", "--confidence=X"},
		"note source task":   {"note", "write", "Source", "--content", "C", "--source-task=X"},
		"note url":           {"note", "write", "URL", "--content", "C", "--source-url=X"},
		"note derived":       {"note", "write", "Derived", "--content", "C", "--derived-from=X"},
		"note ttl":           {"note", "write", "TTL", "--content", "C", "--ttl-hours=X"},
		"note expiry":        {"note", "write", "Expiry", "--content", "C", "--expires-at=X"},
		"note namespace":     {"note", "write", "Namespace", "--content", "C", "--namespace=X"},
		"note scope":         {"note", "write", "Scope", "--content", "C", "--access-scope=X"},
		"note type":          {"note", "write", "Type", "--content", "C", "--type=X"},
		"note schema":        {"note", "write", "Schema", "--content", "C", "--schema-version=X"},
		"note short":         {"note", "write", "Short", "--content", "C", "--short=X"},
		"note meta value":    {"note", "write", "Value", "--content", "C", "--meta=key=X"},
		"note meta key":      {"note", "write", "Key", "--content", "C", "--meta=X=1"},
		"note meta JSON":     {"note", "write", "JSON", "--content", "C", "--meta=key:=X"},
		"note new title":     {"note", "update", s.note, "--title=X"},
		"note new tag":       {"note", "update", s.note, "--tag=X"},
		"note status":        {"note", "update", s.note, "--status=X"},
		"note version":       {"note", "update", s.note, "--title", "T", "--expected-version=X"},
		"note update":        {"note", "update", "--title", "T", "--", "X"},
		"note read":          {"note", "read", "--", "X"},
		"note read path":     {"note", "read", "--path=X"},
		"note max length":    {"note", "read", s.note, "--max-length=X"},
		"note delete":        {"note", "delete", "--", "X"},
		"note list prefix":   {"note", "list", "--path-prefix=X"},
		"note list text":     {"note", "list", "--text=X"},
		"note list title":    {"note", "list", "--title=X"},
		"note list author":   {"note", "list", "--author=X"},
		"note list entity":   {"note", "list", "--entity=X"},
		"note list since":    {"note", "list", "--since=X"},
		"note list match":    {"note", "list", "--match=key=X"},
		"note list limit":    {"note", "list", "--limit=X"},
		"note search":        {"note", "search", "--", "X"},
		"note search tag":    {"note", "search", "first", "--tag=X"},
		"note search prefix": {"note", "search", "first", "--path-prefix=X"},
		"note search mode":   {"note", "search", "first", "--mode=X"},
		"note search seed":   {"note", "search", "first", "--seed=X"},
		"note search depth":  {"note", "search", "first", "--depth=X"},
		"note retrieve":      {"note", "retrieve", "--", "X"},
		"note retrieve task": {"note", "retrieve", "first", "--task=X"},
		"note retrieve in":   {"note", "retrieve", "first", "--namespace=X"},
		"note lookup":        {"note", "cache-lookup", "--", "X"},
		"note lookup url":    {"note", "cache-lookup", "first", "--source-url=X"},
		"note lookup age":    {"note", "cache-lookup", "first", "--max-age-hours=X"},
		"note related":       {"note", "related", "--", "X"},
		"note related part":  {"note", "related", s.note, "--include=X"},
		"note related space": {"note", "related", s.note, "--namespace=X"},
		"note stats":         {"note", "node-stats", "--", "X"},
		"note edge from":     {"note", "edge", "upsert", "--type", "t", "--namespace", "n", "--", "X", s.note},
		"note edge to":       {"note", "edge", "upsert", "--type", "t", "--namespace", "n", "--", s.note, "X"},
		"note edge type":     {"note", "edge", "upsert", s.note, s.otherNote, "--namespace", "n", "--type=X"},
		"note edge space":    {"note", "edge", "upsert", s.note, s.otherNote, "--type", "t", "--namespace=X"},
		"note edge weight":   {"note", "edge", "upsert", s.note, s.otherNote, "--type", "t", "--namespace", "n", "--weight=X"},
		"note edge evidence": {"note", "edge", "upsert", s.note, s.otherNote, "--type", "t", "--namespace", "n", "--evidence=X"},
		"note edge origin":   {"note", "edge", "upsert", s.note, s.otherNote, "--type", "t", "--namespace", "n", "--provenance-type=X"},
		"note edge state":    {"note", "edge", "upsert", s.note, s.otherNote, "--type", "t", "--namespace", "n", "--conflict-state=X"},
		"note edge list":     {"note", "edge", "list", "--from=X"},
		"note edge of type":  {"note", "edge", "list", "--type=X"},
		"note conflict":      {"note", "conflict", "resolve", "--resolution", "refuted", "--", "X"},
		"note resolution":    {"note", "conflict", "resolve", s.noteEdge, "--resolution=X"},
		"note winner":        {"note", "conflict", "resolve", s.noteEdge, "--resolution", "superseded", "--winner=X"},
	}
}

// taskPlaces are those about anything else.
func taskPlaces(id, other string) map[string][]string {
	return map[string][]string{
		"title":           {"task", "create", "--", "X"},
		"description":     {"task", "create", "T", "--description=X"},
		"tag":             {"task", "create", "T", "--tag=X"},
		"agent":           {"task", "create", "T", "--agent=X"},
		"project":         {"task", "create", "T", "--project=X"},
		"priority":        {"task", "create", "T", "--priority=X"},
		"type":            {"task", "create", "T", "--type=X"},
		"parent":          {"task", "create", "T", "--parent=X"},
		"dependency":      {"task", "create", "T", "--depends-on=X"},
		"request":         {"task", "create", "T", "--request-id=X"},
		"metadata value":  {"task", "create", "T", "--meta=key=X"},
		"metadata key":    {"task", "create", "T", "--meta=X=1"},
		"metadata JSON":   {"task", "create", "T", "--meta=key:=X"},
		"ready at":        {"task", "create", "T", "--type", "gate", "--gate-type", "timer", "--ready-at=X"},
		"gate type":       {"task", "create", "T", "--type", "gate", "--gate-type=X"},
		"get":             {"task", "get", "--", "X"},
		"why":             {"task", "why", "--", "X"},
		"children":        {"task", "children", "--", "X"},
		"new title":       {"task", "update", id, "--title=X"},
		"unset":           {"task", "update", id, "--unset=X"},
		"version":         {"task", "update", id, "--title", "T", "--expected-version=X"},
		"complete":        {"task", "complete", "--", "X"},
		"aspect":          {"task", "claim", id, "--aspect=X"},
		"ttl":             {"task", "claim", id, "--ttl=X"},
		"edge from":       {"task", "edge", "upsert", "--type", "blocks", "--", "X", id},
		"edge to":         {"task", "edge", "upsert", "--type", "blocks", "--", id, "X"},
		"edge type":       {"task", "edge", "upsert", id, other, "--type=X"},
		"edge metadata":   {"task", "edge", "upsert", id, other, "--type", "blocks", "--meta=key=X"},
		"summary":         {"finding", "post", "--", id, "X"},
		"knowledge":       {"finding", "post", id, "S", "--knowledge-id=X"},
		"agent id":        {"agent", "register", "--", "X"},
		"agent name":      {"agent", "register", "zoe", "--name=X"},
		"agent info":      {"agent", "info", "--", "X"},
		"list text":       {"task", "list", "--text=X"},
		"list tag":        {"task", "list", "--tag=X"},
		"list since":      {"task", "list", "--since=X"},
		"list limit":      {"task", "list", "--limit=X"},
		"list offset":     {"task", "list", "--offset=X"},
		"list match":      {"task", "list", "--match=key=X"},
		"list match JSON": {"task", "list", "--match=key:=X"},
		"list claimed by": {"task", "list", "--claimed-by=X"},
		"ready project":   {"task", "ready", "--project=X"},
		"ready sort":      {"task", "ready", "--sort=X"},
		"event type":      {"events", "--type=X"},
		"event cursor":    {"events", "--since=X"},
		"journal before":  {"journal", "--before=X"},
		"filter":          {"task", "list", "--jq=X"},
		"store":           {"--db=X", "task", "list"},
		"folder":          {"--data-dir=X", "task", "list"},
		"command":         {"X"},
		"subcommand":      {"task", "X"},
		"unknown flag":    {"task", "list", "--X"},
		"import format":   {"import", "--format=X", "/dev/null"},
		"import file":     {"import", "--", "X"},
		"explain":         {"explain", "--", "X"},
		"timeout":         {"--timeout=X", "task", "list"},
		"colour":          {"--color=X", "task", "list"},
		"log level":       {"--log-level=X", "task", "list"},
		"completion":      {"completion", "--", "X"},
	}
}
