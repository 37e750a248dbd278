package core

// EdgeType is the meaning of a relation between two tasks.
type EdgeType string

// The edge types.
const (
	EdgeBlocks         EdgeType = "blocks"          // blocker → blocked
	EdgeWaitsOnGate    EdgeType = "waits_on_gate"   // gate → waiter
	EdgeParentChild    EdgeType = "parent_child"    // parent → child
	EdgeDiscoveredFrom EdgeType = "discovered_from" // source → discovered
)

// EdgeTypes lists the edge types in documentation order.
var EdgeTypes = []EdgeType{EdgeBlocks, EdgeWaitsOnGate, EdgeParentChild, EdgeDiscoveredFrom}

// RelationTypes lists the edge types that a spawned task can have to its
// source.
var RelationTypes = []EdgeType{EdgeDiscoveredFrom, EdgeBlocks}

// IsDependency reports whether the edge holds its target back until its
// source is satisfied.
func (t EdgeType) IsDependency() bool { return t == EdgeBlocks || t == EdgeWaitsOnGate }

// Direction says which edges of a task are meant.
type Direction string

// The directions.
const (
	DirectionIncoming Direction = "incoming"
	DirectionOutgoing Direction = "outgoing"
	DirectionBoth     Direction = "both"
)

// Directions lists the directions in documentation order.
var Directions = []Direction{DirectionIncoming, DirectionOutgoing, DirectionBoth}

// Edge is one relation, with both ends named as far as they exist.
type Edge struct {
	From, To     TaskKey
	FromID, ToID string
	Type         EdgeType
	Metadata     Metadata
	CreatedBy    string
	CreatedAt    Stamp
}

// EdgeItem is an edge as task_edge_list shows it.
type EdgeItem struct {
	FromTaskID string    `json:"from_task_id"`
	ToTaskID   string    `json:"to_task_id"`
	Type       EdgeType  `json:"type"`
	Direction  Direction `json:"direction"`
	Metadata   Metadata  `json:"metadata"`
	CreatedBy  string    `json:"created_by"`
	CreatedAt  Stamp     `json:"created_at"`
}

// EdgeEnds are the keys that every edge write echoes.
type EdgeEnds struct {
	FromTaskID string `json:"from_task_id"`
	FromTitle  string `json:"from_title"`
	ToTaskID   string `json:"to_task_id"`
	ToTitle    string `json:"to_title"`
}

// EdgeStamps are the unchanged stamps of both ends of a written edge.
type EdgeStamps struct {
	FromUpdatedAt Stamp `json:"from_updated_at"`
	ToUpdatedAt   Stamp `json:"to_updated_at"`
}
