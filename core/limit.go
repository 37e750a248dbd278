package core

import (
	"context"
	"time"
)

type limitKey struct{}

// WithTimeLimit bounds what runs under the context by a time limit, and
// remembers the limit as it was set: errors name that, not what was left of it
// when the store was first asked.
func WithTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithValue(ctx, limitKey{}, limit), limit)
}

// TimeLimit returns the limit that [WithTimeLimit] set; false when there is
// none.
func TimeLimit(ctx context.Context) (time.Duration, bool) {
	limit, ok := ctx.Value(limitKey{}).(time.Duration)
	return limit, ok
}
