// Package pages reads the rows of an SQLite database straight from the pages
// of its file, and of its write-ahead log, by the published file format. It
// needs no list of tables and no whole tree, so it gives what is left where the
// engine refuses a file. It only reads, and takes no locks: who uses it sees to
// it that nobody writes meanwhile, and that the process has the file open in no
// other way, for closing a file gives up the locks that the process holds on it.
package pages
