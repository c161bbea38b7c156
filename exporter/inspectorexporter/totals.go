package inspectorexporter

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
)

// spent is the schema Spent of openapi.yaml.
type spent struct {
	Project      string  `json:"project,omitempty"`
	Model        string  `json:"model,omitempty"`
	Sessions     int     `json:"sessions"`
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"`
	Estimated    float64 `json:"cost_estimated_usd,omitempty"` // the part of CostUSD that is an estimate
	Prices       string  `json:"cost_source,omitempty"`        // by which it was made, of one of the sessions
	Unpriced     int     `json:"unpriced"`                     // sessions with tokens and no cost
}

// totals is the schema Totals of openapi.yaml.
type totals struct {
	spent
	Since *time.Time `json:"since,omitempty"`
	By    []*spent   `json:"by"`
}

// spending is the part of a row that totals add up.
type spending struct {
	Directory string    `json:"directory"`
	Model     string    `json:"model"`
	LastSeen  time.Time `json:"last_seen"`
	Usage     struct {
		InputTokens  int64   `json:"input_tokens"`
		OutputTokens int64   `json:"output_tokens"`
		CostUSD      float64 `json:"cost_usd"`
		Estimated    float64 `json:"cost_estimated_usd"`
		Prices       string  `json:"cost_source"`
	} `json:"usage"`
}

var errSince = errors.New("since: an RFC 3339 time")

// showTotals adds up the rows of the sessions that reported something since a time.
func (g *gateway) showTotals(w http.ResponseWriter, r *http.Request) {
	var sum totals
	if text := r.URL.Query().Get("since"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			refuse(w, http.StatusBadRequest, errSince.Error())
			return
		}
		sum.Since = &since
	}
	page, err := g.board.List(sessions.Query{Limit: maxLimit})
	if err != nil { // without a cursor there is none
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	sum.add(page.Sessions)
	answer(w, http.StatusOK, sum)
}

func (t *totals) add(rows []json.RawMessage) {
	by := map[[2]string]*spent{}
	for _, text := range rows {
		var row spending
		if json.Unmarshal(text, &row) != nil || (t.Since != nil && row.LastSeen.Before(*t.Since)) {
			continue
		}
		key := [2]string{row.Directory, row.Model}
		if by[key] == nil {
			by[key] = &spent{Project: row.Directory, Model: row.Model}
		}
		t.count(row)
		by[key].count(row)
	}
	t.By = make([]*spent, 0, len(by))
	for _, one := range by {
		t.By = append(t.By, one)
	}
	slices.SortFunc(t.By, func(a, b *spent) int {
		return cmp.Or(cmp.Compare(b.CostUSD, a.CostUSD), cmp.Compare(b.InputTokens, a.InputTokens), cmp.Compare(a.Project, b.Project), cmp.Compare(a.Model, b.Model))
	})
}

func (s *spent) count(row spending) {
	s.Sessions++
	s.InputTokens += row.Usage.InputTokens
	s.OutputTokens += row.Usage.OutputTokens
	s.CostUSD += row.Usage.CostUSD
	s.Estimated += row.Usage.Estimated
	s.Prices = cmp.Or(s.Prices, row.Usage.Prices)
	if row.Usage.CostUSD == 0 && row.Usage.InputTokens+row.Usage.OutputTokens > 0 {
		s.Unpriced++
	}
}
