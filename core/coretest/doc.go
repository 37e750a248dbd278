// Package coretest is the suite that holds the operations of core, over a
// store, to the contract: the documented answers byte for byte, every failure,
// the precedence of checks, races, and random histories against the naive twin
// of package model. It takes the store as its argument, so that every engine
// is held to the same sentences: a store's own tests call [Run] and the fuzz
// targets.
package coretest
