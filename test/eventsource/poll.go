package eventsource

import (
	"encoding/json"
	"slices"
	"time"
)

func (s *Server) poll(q *request) (map[string]any, *fault) {
	if s.Generation > 1 {
		result, f := s.pollOne(q)
		if f != nil {
			return nil, f
		}
		return s.complete(result), nil
	}
	var all []map[string]json.RawMessage
	if json.Unmarshal(q.Params["subscriptions"], &all) != nil {
		return nil, s.fault("InvalidParams")
	}
	results := []any{}
	for _, one := range all {
		one["maxEvents"] = q.Params["maxEvents"]
		result, f := s.pollOne(&request{Params: one})
		if f != nil {
			result = map[string]any{"error": f}
		}
		result["id"] = one["id"]
		results = append(results, result)
	}
	return map[string]any{"results": results}, nil
}

func (s *Server) pollOne(q *request) (map[string]any, *fault) {
	t := s.typeOf(q.text("name"))
	switch {
	case q.Params["name"] == nil || s.Generation > 1 && q.Params["arguments"] == nil:
		return nil, s.fault("InvalidParams")
	case t == nil:
		return nil, s.fault("NotFound")
	case !slices.Contains(t.Delivery, "poll"):
		return nil, s.fault("Unsupported")
	}
	from, gap := s.log.from(q.Params["cursor"])
	if gap && s.Generation == 1 {
		return nil, s.fault("CursorExpired")
	}
	limit := 100
	_ = json.Unmarshal(q.Params["maxEvents"], &limit)
	found := s.log.after(t.Name, from)
	next := s.log.end()
	more := len(found) > limit
	if more {
		found = found[:limit]
		next = found[limit-1].position
	}
	events := []any{}
	for i := range found {
		events = append(events, body(&found[i], t, nil))
	}
	result := map[string]any{"events": events, "cursor": cursorAt(t, next), "hasMore": more}
	after := s.PollAfter
	if after == 0 {
		after = 1500 * time.Millisecond
	}
	if s.Generation == 1 {
		result["nextPollSeconds"] = after.Seconds()
	} else {
		result["nextPollMs"], result["truncated"] = after.Milliseconds(), gap
	}
	return result, nil
}
