// Package coretest is the suite that holds core and a store to the contract.
// It takes the store as its argument, so that every engine is held to the same
// sentences: a store's own tests call [Run] and the fuzz targets.
package coretest
