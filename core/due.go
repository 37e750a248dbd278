package core

import "context"

// NextDue returns the next moment at which something changes without a
// write: when an open timer gate opens, or a live claim ends. Nil when nothing
// does. Who watches the store wakes up then.
func (s *Service) NextDue(ctx context.Context) (*Stamp, error) {
	return look(ctx, s, func(v view) (*Stamp, error) { return v.NextDue(v.now) })
}
