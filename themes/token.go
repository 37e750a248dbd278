package themes

// Token is a role that something on screen can have. Themes paint roles, the
// terminal UI draws with them.
type Token int

// The tokens.
const (
	Text        Token = iota // ordinary text
	TextDim                  // what may be overlooked: ages, explanations
	TextStrong               // what should be seen first
	BgSelected               // behind the row of the cursor
	BgMarked                 // behind marked rows
	Border                   // frames of panes
	BorderFocus              // the frame of the pane that has the keys
	Title                    // headings
	Key                      // names of keys
	Hint                     // what keys do
	Ready                    // marks and words of states, from here
	Blocked
	Claimed
	Done
	Stuck
	Gate
	Epic // to here
	OK   // outcomes of actions, from here
	Warn
	Error // to here
	tokenCount
)

// tokenNames are the keys of theme files.
var tokenNames = [tokenCount]string{
	Text: "text", TextDim: "text_dim", TextStrong: "text_strong",
	BgSelected: "bg_selected", BgMarked: "bg_marked",
	Border: "border", BorderFocus: "border_focus",
	Title: "title", Key: "key", Hint: "hint",
	Ready: "ready", Blocked: "blocked", Claimed: "claimed", Done: "done", Stuck: "stuck", Gate: "gate", Epic: "epic",
	OK: "ok", Warn: "warn", Error: "error",
}

// Tokens lists every token in the order of the documentation.
func Tokens() []Token {
	list := make([]Token, tokenCount)
	for i := range list {
		list[i] = Token(i)
	}
	return list
}

// String is the key of the token in theme files.
func (t Token) String() string { return tokenNames[t] }

// IsBackground reports whether the token lies behind text rather than
// colouring it.
func (t Token) IsBackground() bool { return t == BgSelected || t == BgMarked }
