package core

import "context"

// Agent is a person or program that acted.
type Agent struct {
	ID          string   `json:"id"`
	Name        *string  `json:"name"`
	Type        *string  `json:"type"`
	FirstSeenAt Stamp    `json:"first_seen_at"`
	LastSeenAt  Stamp    `json:"last_seen_at"`
	Metadata    Metadata `json:"metadata"`
}

// AgentQuery selects agents. Zero values filter nothing.
type AgentQuery struct {
	Type        *string
	ActiveSince *Stamp // last_seen_at at or after
}

// AgentRegisterRequest introduces an agent.
type AgentRegisterRequest struct {
	ID       string    `json:"id" check:"name"`
	Name     *string   `json:"name" check:"label"`
	Type     *string   `json:"type" check:"label"`
	Metadata *Metadata `json:"metadata" check:"metadata" doc:"Replaces the whole; {} is ignored."`
}

// AgentRegisterResult tells whether the agent is new.
type AgentRegisterResult struct {
	Success bool `json:"success"`
	Created bool `json:"created"`
}

// AgentRegister is the operation agent_register.
var AgentRegister = Op[AgentRegisterRequest, AgentRegisterResult]{
	name: "agent_register", summary: "Introduce an agent or refresh what is known of it.",
	run: (*Service).AgentRegister,
}

// AgentRegister introduces an agent or refreshes what is known of it.
func (s *Service) AgentRegister(ctx context.Context, req AgentRegisterRequest) (AgentRegisterResult, error) {
	return write(ctx, s, req, (*change).registerAgent)
}

func (c *change) registerAgent(req AgentRegisterRequest) (AgentRegisterResult, error) {
	var none AgentRegisterResult
	agent, found, err := c.Agent(req.ID)
	if err != nil {
		return none, err
	}
	if !found {
		agent = Agent{ID: req.ID, FirstSeenAt: c.now}
	}
	agent.LastSeenAt = c.now
	if req.Name != nil {
		agent.Name = req.Name
	}
	if req.Type != nil {
		agent.Type = req.Type
	}
	if req.Metadata != nil && req.Metadata.Text() != "{}" {
		agent.Metadata = *req.Metadata
	}
	if err := c.PutAgent(agent); err != nil {
		return none, err
	}
	err = c.emit(EventAgentRegistered, req.ID, Subject{}, agentRegistered{
		AgentID: req.ID, Name: valueOr(agent.Name, ""), Created: !found,
	})
	return AgentRegisterResult{Success: true, Created: !found}, err
}

// AgentInfoRequest names an agent.
type AgentInfoRequest struct {
	ID string `json:"id" check:"name"`
}

// AgentInfoResult holds what is known of an agent, nil when nothing is.
type AgentInfoResult struct {
	Result *Agent `json:"result"`
}

// AgentInfo is the operation agent_info.
var AgentInfo = Op[AgentInfoRequest, AgentInfoResult]{
	name: "agent_info", summary: "Read what is known of an agent.", readOnly: true,
	run: (*Service).AgentInfo,
}

// AgentInfo reads what is known of an agent; an unknown one is no error.
func (s *Service) AgentInfo(ctx context.Context, req AgentInfoRequest) (AgentInfoResult, error) {
	return read(ctx, s, req, func(v view, req AgentInfoRequest) (AgentInfoResult, error) {
		agent, found, err := v.Agent(req.ID)
		if err != nil || !found {
			return AgentInfoResult{}, err
		}
		return AgentInfoResult{Result: &agent}, nil
	})
}

// AgentListRequest selects agents.
type AgentListRequest struct {
	Type        *string `json:"type" check:"filter"`
	ActiveSince *string `json:"active_since" check:"time" doc:"Last seen at or after."`
}

// AgentListItem is an agent as a list shows it.
type AgentListItem struct {
	ID         string  `json:"id"`
	Name       *string `json:"name"`
	Type       *string `json:"type"`
	LastSeenAt Stamp   `json:"last_seen_at"`
}

// AgentListResult holds the agents, the last seen first.
type AgentListResult struct {
	Agents []AgentListItem `json:"agents"`
}

// AgentList is the operation agent_list.
var AgentList = Op[AgentListRequest, AgentListResult]{
	name: "agent_list", summary: "List the agents that acted, the last seen first.", readOnly: true,
	run: (*Service).AgentList,
}

// AgentList lists the agents that acted, the last seen first.
func (s *Service) AgentList(ctx context.Context, req AgentListRequest) (AgentListResult, error) {
	return read(ctx, s, req, func(v view, req AgentListRequest) (AgentListResult, error) {
		agents, err := v.Agents(AgentQuery{Type: req.Type, ActiveSince: timeFilter(req.ActiveSince)})
		result := AgentListResult{Agents: make([]AgentListItem, 0, len(agents))}
		for _, a := range agents {
			result.Agents = append(result.Agents, AgentListItem{a.ID, a.Name, a.Type, a.LastSeenAt})
		}
		return result, err
	})
}
