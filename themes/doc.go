// Package themes holds the colours of the terminal UI. A theme gives each
// [Token], a role such as ready or border_focus, a [Paint]. Themes are TOML
// files, some built in, others the user's own.
package themes
