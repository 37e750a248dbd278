package core

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRegistry holds the registry against the table of the error contract,
// row by row.
func TestRegistry(t *testing.T) {
	const vocabulary = "field? value? allowed? nearest?"
	type row struct {
		Code     Code
		Category Category
		Exit     int
		HTTP     int
		Extras   string
	}
	want := []row{
		{"invalid_input", "input", 2, 422, "reason " + vocabulary},
		{"content_too_large", "input", 2, 413, "field length limit"},
		{"invalid_task_type", "input", 2, 422, vocabulary},
		{"invalid_edge_type", "input", 2, 422, vocabulary},
		{"invalid_relation_type", "input", 2, 422, vocabulary},
		{"invalid_metadata_key", "input", 2, 422, "field"},
		{"invalid_mode", "input", 2, 422, vocabulary},
		{"ambiguous_id_prefix", "not_found", 3, 409, "field value candidates"},
		{"task_not_found", "not_found", 3, 404, "field value task_status?"},
		{"claim_not_found", "not_found", 3, 404, "aspect"},
		{"edge_not_found", "not_found", 3, 404, "from_task_id to_task_id type"},
		{"receipt_not_found", "not_found", 3, 404, "receipt_id"},
		{"doc_not_found", "not_found", 3, 404, "field value"},
		{"note_not_found", "not_found", 3, 404, "field value"},
		{"not_found", "not_found", 3, 404, "field value"},
		{"task_not_resolved", "conflict", 4, 409, "task_id"},
		{"self_edge", "conflict", 4, 409, "task_id"},
		{"cycle", "conflict", 4, 409, "edge_type path"},
		{"parent_exists", "conflict", 4, 409, "parent_id parent_title"},
		{"not_a_gate", "conflict", 4, 409, "task_id task_type"},
		{"too_deep", "conflict", 4, 409, "depth limit"},
		{"update_failed", "conflict", 4, 409, "edge_id"},
		{"duplicate", "conflict", 4, 409, ""},
		{"slug_collision", "conflict", 4, 409, ""},
		{"path_collision", "conflict", 4, 409, ""},
		{"version_conflict", "version", 5, 409, "expected_version current_version current"},
		{"claim_failed", "claim", 6, 409, "reason holder aspect expires_at seconds_left"},
		{"database_busy", "retry", 7, 503, "waited_ms"},
		{"request_timed_out", "retry", 7, 503, "limit_ms"},
		{"schema_mismatch", "store", 8, 409, "found expected direction"},
		{"restore_unfinished", "store", 8, 409, "leftovers commands"},
		{"store_unavailable", "store", 8, 503, "path reason"},
		{"backup_failed", "store", 8, 503, "step path"},
		{"search_backend_error", "store", 8, 503, ""},
		{"cursor_expired", "feed", 9, 410, "archived_through resume_after"},
		{"period_archived", "feed", 9, 410, "archived_before"},
		{"forbidden", "denied", 10, 403, "needs"},
		{"unauthenticated", "denied", 10, 401, ""},
		{"rate_limited", "denied", 10, 429, "retry_after"},
		{"method_not_allowed", "denied", 10, 405, "method allowed"},
		{"unsupported_protocol_version", "denied", 10, 400, "requested supported"},
		{"internal_error", "internal", 70, 500, "crash_file"},
	}
	var got []row
	for _, info := range Registry {
		got = append(got, row{info.Code, info.Category, info.Exit(), info.HTTP, strings.Join(info.Extras, " ")})
		if described := Describe(info.Code); described.Code != info.Code || described.HTTP != info.HTTP {
			t.Errorf("%s is described as %s", info.Code, described.Code)
		}
		if info.When == "" || info.Remedy == "" {
			t.Errorf("%s is not explained", info.Code)
		}
		outcome := info.Code == CodeDuplicate || info.Code == CodeSlugCollision || info.Code == CodePathCollision
		if info.Outcome != outcome {
			t.Errorf("%s counts as the outcome of a note write: %v", info.Code, info.Outcome)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-contract +registry\n%s", diff)
	}
	if info := Describe("no_such_code"); info.Code != "" || info.Exit() != 0 {
		t.Errorf("a code that is not registered is described as %+v", info)
	}
}
