// Package prometheus lets a real Prometheus scrape the built collector under the
// load of the demo, and asks it what the dashboards ask. Its promtool tests the
// alerts.
package prometheus
