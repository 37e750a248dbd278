package core

import "context"

// Finding is an append-only remark on a task.
type Finding struct {
	ID          string  `json:"id"`
	Agent       string  `json:"agent"`
	Summary     string  `json:"summary"`
	KnowledgeID *string `json:"knowledge_id"`
	CreatedAt   Stamp   `json:"created_at"`
}

// FindingPostRequest asks for a remark on a task.
type FindingPostRequest struct {
	TaskID      string  `json:"task_id"`
	Agent       string  `json:"agent" check:"name"`
	Summary     string  `json:"summary" check:"body"`
	KnowledgeID *string `json:"knowledge_id" doc:"Id of a note; it need not exist yet."`
}

// FindingPostResult names the finding and its task.
type FindingPostResult struct {
	FindingID string `json:"finding_id"`
	Echo
}

// FindingPost is the operation finding_post.
var FindingPost = Op[FindingPostRequest, FindingPostResult]{
	name: "finding_post", summary: "Leave a remark on a task for whoever comes next.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).FindingPost,
}

// FindingPost adds a remark to a task of any status.
func (s *Service) FindingPost(ctx context.Context, req FindingPostRequest) (FindingPostResult, error) {
	return write(ctx, s, req, (*change).postFinding)
}

func (c *change) postFinding(req FindingPostRequest) (FindingPostResult, error) {
	var none FindingPostResult
	head, err := resolveTask(c, "task_id", req.TaskID)
	if err != nil {
		return none, err
	}
	finding := Finding{ID: c.service.newID(), Agent: req.Agent, Summary: req.Summary, CreatedAt: c.now}
	if req.KnowledgeID != nil {
		note, err := resolveNoteReference(c, "knowledge_id", *req.KnowledgeID)
		if err != nil {
			return none, err
		}
		finding.KnowledgeID = &note
	}
	if err := c.see(req.Agent); err != nil {
		return none, err
	}
	if err := c.InsertFinding(head.Key, finding); err != nil {
		return none, err
	}
	err = c.emitAbout(EventFindingPosted, req.Agent, head, findingPosted{
		FindingID: finding.ID, TaskID: head.ID, Agent: req.Agent, KnowledgeID: finding.KnowledgeID,
	})
	return FindingPostResult{FindingID: finding.ID, Echo: head.echo()}, err
}

// note adds a finding that the program writes itself, without an event of its
// own, and returns its id.
func (c *change) note(head TaskHead, agent, summary string) (string, error) {
	finding := Finding{ID: c.service.newID(), Agent: agent, Summary: summary, CreatedAt: c.now}
	return finding.ID, c.InsertFinding(head.Key, finding)
}

// FindingListRequest asks for the remarks on a task.
type FindingListRequest struct {
	TaskID string  `json:"task_id"`
	Since  *string `json:"since" check:"time" doc:"Only later ones."`
}

// FindingListResult holds the remarks, oldest first.
type FindingListResult struct {
	Findings []Finding `json:"findings"`
}

// FindingList is the operation finding_list.
var FindingList = Op[FindingListRequest, FindingListResult]{
	name: "finding_list", summary: "Read the remarks on a task, oldest first.", readOnly: true,
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).FindingList,
}

// FindingList reads the remarks on a task, oldest first.
func (s *Service) FindingList(ctx context.Context, req FindingListRequest) (FindingListResult, error) {
	return read(ctx, s, req, func(v view, req FindingListRequest) (FindingListResult, error) {
		head, err := resolveTask(v, "task_id", req.TaskID)
		if err != nil {
			return FindingListResult{}, err
		}
		findings, err := v.Findings(head.Key, timeFilter(req.Since))
		return FindingListResult{Findings: orEmpty(findings)}, err
	})
}
