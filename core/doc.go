// Package core holds the rules of lithos: what a task, an edge, a claim and a
// gate are, when a task is ready, and what every operation does. It knows no
// SQL, no terminal and no flags, and it reads neither clock nor randomness by
// itself: both come from [Config].
//
// # Words
//
//   - task: a unit of work. Its task_type is task (a plain task), epic (a
//     heading for others) or gate (a condition outside the graph).
//   - edge: a typed, directed relation between two tasks.
//   - dependency edge: blocks or waits_on_gate. It holds its target back.
//   - live edge: a dependency edge whose source is not (yet) satisfied.
//   - gate: a task that stands for a person, a clock, a build, a review.
//   - ready: an open plain task with no live incoming edge.
//   - blocked: an open plain task that is not ready.
//   - frontier: the ready and the blocked tasks.
//   - stranded: blocked by a cancelled task, so that somebody must intervene.
//   - claim: a lease on one aspect of one task.
//   - finding: an append-only remark on a task.
//   - agent: whoever acts, person or program.
//   - event: the record of one change, written in the change's transaction.
//
// # Reading the package
//
// One noun a file. Each operation is an exported method of [Service] that
// opens one transaction, with its request and result declared beside it, and
// an entry in [Operations]; the lower-case steps it is made of take the open
// transaction, so task_apply composes them.
package core
