package harness

import (
	"net/http"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	prometheus "github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

// Families are the metrics of one scrape, by name.
type Families map[string]*dto.MetricFamily

// Scrape reads the metrics that a program shows in the Prometheus format.
func Scrape(t *testing.T, url string) Families {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	parser := expfmt.NewTextParser(prometheus.UTF8Validation)
	all, err := parser.TextToMetricFamilies(response.Body)
	require.NoError(t, err)
	return all
}

// Sum adds the series of a counter or gauge that have all these labels,
// given as name, value, name, value …
func (f Families) Sum(name string, labels ...string) (total float64) {
	for _, m := range f[name].GetMetric() {
		if hasLabels(m, labels) {
			total += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return total
}

func hasLabels(m *dto.Metric, labels []string) bool {
	values := map[string]string{}
	for _, l := range m.GetLabel() {
		values[l.GetName()] = l.GetValue()
	}
	for i := 0; i < len(labels); i += 2 {
		if values[labels[i]] != labels[i+1] {
			return false
		}
	}
	return true
}

// HTTPOK tells whether a GET is answered with 200.
func HTTPOK(url string) bool {
	response, err := http.Get(url)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
