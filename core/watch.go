package core

import "context"

// Watch opens a counter that tells when somebody has committed to the store.
// The caller closes it.
func (s *Service) Watch(ctx context.Context) (ChangeCounter, error) { return s.store.Watch(ctx) }

// ReadOnly reports whether every mutation is refused.
func (s *Service) ReadOnly() bool { return s.readOnly }
