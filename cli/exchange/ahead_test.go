package exchange

import (
	"errors"
	"strings"
	"testing"

	"dev.lithos/core"
)

func TestReadAhead(t *testing.T) {
	stop, fault := errors.New("stop"), errors.New("fault")
	for _, c := range []struct {
		records, takes int // takes: after how many the caller stops; 0: never
		end            error
		want           error
	}{
		{0, 0, nil, nil},
		{1, 0, nil, nil},
		{aheadBatch, 0, nil, nil},
		{aheadBatch*aheadBatches*3 + 1, 0, nil, nil},
		{aheadBatch + 5, 0, fault, fault},
		{aheadBatch * aheadBatches * 3, 1, nil, stop},
		{aheadBatch * aheadBatches * 3, aheadBatch + 1, fault, stop},
	} {
		read, ended := 0, false
		taken := 0
		err := readAhead(func(yield func(*core.TransferRecord) error) error {
			defer func() { ended = true }()
			var rec core.TransferRecord
			for range c.records {
				read++
				rec = core.TransferRecord{Line: read}
				if err := yield(&rec); err != nil {
					return err
				}
			}
			return c.end
		}, func(rec *core.TransferRecord) error {
			taken++
			if rec.Line != taken {
				t.Fatalf("record %d comes as number %d", rec.Line, taken)
			}
			if taken == c.takes {
				return stop
			}
			return nil
		})
		if !errors.Is(err, c.want) || !ended || c.takes == 0 && taken != c.records {
			t.Errorf("%+v: %v after %d records, ended %v", c, err, taken, ended)
		}
	}
}

func TestReadAhead_panicReachesTheCaller(t *testing.T) {
	defer func() {
		if fault, ok := recover().(string); !ok || !strings.HasPrefix(fault, "boom\n") {
			t.Errorf("recovered %v", fault)
		}
	}()
	_ = readAhead(func(func(*core.TransferRecord) error) error { panic("boom") }, func(*core.TransferRecord) error { return nil })
	t.Error("no panic")
}
