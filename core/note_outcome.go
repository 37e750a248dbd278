package core

// outcomeCodes are the failures that a note write reports as statuses of their
// own, without a code. Everything else it answers with the envelope.
var outcomeCodes = []Code{
	CodeInvalidInput, CodeContentTooLarge, CodeDuplicate, CodeSlugCollision, CodePathCollision, CodeVersionConflict,
}

// markOutcome makes a failure of a note write one of its statuses, if it is
// one.
func markOutcome(err error) {
	if e := asContractError(err); e != nil {
		for _, code := range outcomeCodes {
			e.outcome = e.outcome || e.Code == code
		}
	}
}

// Refusal is an error that was found before the operation was called, in the
// shape that the operation's own have.
func (o Op[In, Out]) Refusal(err error) error { return o.failure(err) }

// appendOutcome appends the error as a status of the note write path. Nothing
// was written, so there is nothing to warn about.
func (e *Error) appendOutcome(dst []byte) []byte {
	o := beginObject(dst)
	o.str("status", string(e.Code))
	extras := func() {
		for _, x := range e.Extras {
			o.any(x.Name, x.Value)
		}
	}
	switch e.Code {
	case CodeDuplicate:
		extras()
		o.str("message", e.Message)
		o.raw("warnings", "[]")
	case CodeSlugCollision, CodePathCollision:
		o.str("message", e.Message)
		extras()
		o.raw("warnings", "[]")
	default:
		o.str("message", e.Message)
		o.raw("warnings", "[]")
		extras()
	}
	return o.end()
}
