package main

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/bench/graph"
)

// call runs an operation with the JSON text of its arguments and encodes its
// answer, as a server does.
func (f *fixture) call(operation, arguments string) []byte {
	return f.callUnder(context.Background(), operation, arguments)
}

func (f *fixture) callUnder(ctx context.Context, operation, arguments string) []byte {
	op, found := core.OperationNamed(operation)
	if !found {
		check(fmt.Errorf("there is no operation %s", operation))
	}
	result, err := op.Call(ctx, f.service, []byte(arguments))
	if err != nil {
		check(fmt.Errorf("%s %s: %w", operation, arguments, err))
	}
	text, err := core.EncodeJSON(result)
	check(err)
	return text
}

// resolve looks ids up in one transaction, the way operations resolve the ids
// they are given, and returns how long it took.
func (f *fixture) resolve(ids []string, prefixes bool) (took time.Duration) {
	check(f.store.Read(context.Background(), func(tx core.ReadTx) error {
		start := time.Now()
		for _, id := range ids {
			_, found, err := tx.TaskByID(id)
			if err != nil {
				return err
			}
			if found == prefixes {
				return fmt.Errorf("looking for %s: found %v", id, found)
			}
			if prefixes {
				if heads, err := tx.TasksByPrefix(id, 5); err != nil || len(heads) == 0 {
					return fmt.Errorf("looking for %s: %d tasks, %w", id, len(heads), err)
				}
			}
		}
		took = time.Since(start)
		return nil
	}))
	return took
}

// keys runs a page whose last column is the key of a task and returns the keys
// of its first 50 rows as JSON.
func (r *raw) keys(sql string, args ...driver.Value) string {
	list := []byte{'['}
	rows := 0
	r.each(sql, func(row []driver.Value) {
		if rows++; rows > 50 {
			return
		}
		if rows > 1 {
			list = append(list, ',')
		}
		key, _ := row[len(row)-1].(int64)
		list = strconv.AppendInt(list, key, 10)
	}, args...)
	return string(append(list, ']'))
}

// ordinaryOpen is an ordinary graph of which no task is closed.
func ordinaryOpen(tasks int) graph.Shape {
	shape := graph.Ordinary(tasks, 3)
	shape.Closed = 0
	return shape
}
