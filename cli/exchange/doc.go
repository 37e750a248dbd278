// Package exchange knows the file formats that tasks come from and go to, one
// a file. On the way in a format turns a file into the neutral records of
// core, on the way out it writes them down; what merging them into a store
// means is core's business.
package exchange
