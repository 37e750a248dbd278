// Package tui is the terminal UI: a board of the frontier, the pages behind
// it, and the actions on tasks.
//
// # Words
//
//   - screen: a place one can be, the board or something opened over it. It
//     reads its data from core, draws itself into a rectangle and has the keys.
//   - pane: a part of a screen, with a frame.
//   - popup: a box over the screen that takes the keys until it is closed.
//   - action: something a key, the palette or a click can set off. The table
//     of them (actions.go) is the one source of keys, footer, palette, help and
//     docs/keys.md.
//   - load: reading from the store, which happens beside the program's loop. Its
//     answer is a message that changes the model; late answers are dropped.
//   - canvas: the cells of one frame. Everything is drawn into it by
//     rectangles, so a frame always has the size of the terminal.
//   - painter: what writes frames to the terminal, at once and no more than has
//     changed.
//   - news: what others have done, as the events of the store tell.
//
// There is one Bubble Tea model. Screens, panes and popups are plain structs
// that it calls. Nothing reads the store, the clock or the environment while
// it updates or draws.
package tui
