// Package display makes values of lithos readable for people: text that may
// hold anything becomes safe to print, lengths are measured in terminal
// cells, moments become ages, states become marks and words. The command line
// and the terminal UI share it, so that a thing looks the same in both.
package display
