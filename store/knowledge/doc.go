// Package knowledge is the folder of note files: Markdown with YAML front
// matter, which people edit with whatever they like. It implements
// [dev.lithos/core.NoteFolder] and knows nothing of what the keys mean.
package knowledge
