// Package markdown draws Markdown as lines of parts that say how they should
// look, for the surfaces to put their own styles on. The command line and the
// terminal UI share it, so that a text reads the same in both.
package markdown
