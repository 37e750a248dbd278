package exchange

import (
	"errors"
	"fmt"
	"runtime/debug"

	"dev.lithos/core"
)

// The size of a batch of records that is read ahead, and how many batches
// wait.
const (
	aheadBatch   = 64
	aheadBatches = 4
)

// errNotWanted ends reading ahead when nobody takes the records any more.
var errNotWanted = errors.New("no more records are wanted")

// readAhead runs each beside the caller, who is yielded its records as each
// yields them: a file is read on while what was read is being written.
func readAhead(each func(yield func(*core.TransferRecord) error) error, yield func(*core.TransferRecord) error) error {
	batches := make(chan []core.TransferRecord, aheadBatches)
	stop := make(chan struct{})
	var readErr error
	var fault any
	go func() {
		defer close(batches)
		defer func() {
			if fault = recover(); fault != nil {
				fault = fmt.Sprintf("%v\n%s", fault, debug.Stack())
			}
		}()
		var batch []core.TransferRecord
		hand := func() error {
			select {
			case batches <- batch:
				batch = make([]core.TransferRecord, 0, aheadBatch)
				return nil
			case <-stop:
				return errNotWanted
			}
		}
		readErr = each(func(rec *core.TransferRecord) error {
			if batch = append(batch, *rec); len(batch) < aheadBatch {
				return nil
			}
			return hand()
		})
		if handErr := hand(); readErr == nil {
			readErr = handErr
		}
	}()
	// The reader has ended when this returns, whatever the reason.
	defer func() {
		for range batches {
		}
		if fault != nil {
			panic(fault)
		}
	}()
	for batch := range batches {
		for i := range batch {
			if err := yield(&batch[i]); err != nil {
				close(stop)
				return err
			}
		}
	}
	return readErr
}
