// Panels as these dashboards have them: one look, and PromQL that does not go
// blank when a counter has not counted yet.
import common from '@grafana/grafana-foundation-sdk/common'
import dashboard from '@grafana/grafana-foundation-sdk/dashboard'
import heatmap from '@grafana/grafana-foundation-sdk/heatmap'
import logs from '@grafana/grafana-foundation-sdk/logs'
import loki from '@grafana/grafana-foundation-sdk/loki'
import prometheus from '@grafana/grafana-foundation-sdk/prometheus'
import stat from '@grafana/grafana-foundation-sdk/stat'
import table from '@grafana/grafana-foundation-sdk/table'
import tempo from '@grafana/grafana-foundation-sdk/tempo'
import text from '@grafana/grafana-foundation-sdk/text'
import timeseries from '@grafana/grafana-foundation-sdk/timeseries'

const sources = { prometheus: '${prometheus}', loki: '${loki}', tempo: '${tempo}' }
const source = (type) => ({ type, uid: sources[type] })

/** rate of a counter, summed by labels; 0 while there is no such series. */
export const rate = (selector, ...by) =>
  by.length ? `sum by (${by.join(', ')}) (rate(${selector}[$__rate_interval]))` : `sum(rate(${selector}[$__rate_interval])) or vector(0)`

/** perRange is how much a counter grew in the dashboard's range, summed by labels. */
export const perRange = (selector, ...by) =>
  by.length ? `sum by (${by.join(', ')}) (increase(${selector}[$__range]))` : `sum(increase(${selector}[$__range])) or vector(0)`

/** quantile of a histogram, by labels. */
export const quantile = (q, selector, ...by) =>
  `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (rate(${selector}[$__rate_interval])))`

const query = (expr, legend, configure = (q) => q) =>
  configure(new prometheus.DataqueryBuilder().expr(expr).legendFormat(legend ?? '__auto'))

/** queries are [expression, legend] pairs, or one expression. */
const targets = (panel, queries, configure) => {
  const list = typeof queries === 'string' ? [[queries]] : queries
  list.forEach(([expr, legend], i) => panel.withTarget(query(expr, legend, configure).refId(String.fromCharCode(65 + i))))
  return panel
}

const size = (panel, { width = 8, height = 8, description, links = [] }) => {
  panel.span(width).height(height)
  if (description) panel.description(description)
  if (links.length) panel.dataLinks(links.map(([title, url]) => new dashboard.DashboardLinkBuilder(title).url(url)))
  return panel
}

const thresholds = (steps) =>
  new dashboard.ThresholdsConfigBuilder().mode('absolute').steps(steps.map(([value, color]) => ({ value, color })))

/** number is one figure; steps are [from, color]. */
export const number = (title, expr, { unit = 'short', steps = [[null, 'green']], ...more } = {}) =>
  targets(
    size(new stat.PanelBuilder().title(title).datasource(source('prometheus')).unit(unit), { width: 4, height: 4, ...more })
      .thresholds(thresholds(steps))
      .colorScheme(new dashboard.FieldColorBuilder().mode('thresholds'))
      .graphMode('area'),
    expr,
  )

/** graph is lines over time. */
export const graph = (title, queries, { unit = 'short', stacked = false, min = 0, ...more } = {}) => {
  const panel = new timeseries.PanelBuilder().title(title).datasource(source('prometheus')).unit(unit).min(min)
    .lineWidth(1).fillOpacity(stacked ? 30 : 8).showPoints('never')
    .legend(new common.VizLegendOptionsBuilder().displayMode('list').placement('bottom').showLegend(true).calcs([]))
    .tooltip(new common.VizTooltipOptionsBuilder().mode('multi').sort('desc'))
  if (stacked) panel.stacking(new common.StackingConfigBuilder().mode('normal').group('A'))
  return targets(size(panel, more), queries)
}

/** heat is the distribution of a histogram over time. */
export const heat = (title, expr, { unit = 's', ...more } = {}) =>
  targets(
    size(new heatmap.PanelBuilder().title(title).datasource(source('prometheus')), more)
      .calculate(false)
      .cellGap(1)
      .mode('single')
      .yAxis(new heatmap.YAxisConfigBuilder().unit(unit).axisPlacement('left'))
      .color(new heatmap.HeatmapColorOptionsBuilder().scheme('Oranges').steps(64).mode('scheme').fill('dark-orange').exponent(0.5)),
    [[expr, '{{le}}']],
    (q) => q.format('heatmap').exemplar(true),
  )

/** rows is a table: each query a column, joined by its labels. */
export const rows = (title, queries, { columns, hidden = ['Time'], ...more }) => {
  const panel = targets(
    size(new table.PanelBuilder().title(title).datasource(source('prometheus')), { width: 24, height: 9, ...more }),
    queries.map(([expr]) => [expr]),
    (q) => q.format('table').instant(),
  )
  panel.withTransformation({ id: 'merge', options: {} })
  panel.withTransformation({ id: 'organize', options: { excludeByName: Object.fromEntries(hidden.map((name) => [name, true])), renameByName: columns } })
  queries.forEach(([, unit], i) => {
    const letter = String.fromCharCode(65 + i)
    panel.overrideByName(columns[`Value #${letter}`], [{ id: 'unit', value: unit }])
  })
  return panel
}

/** traces is a search in Tempo. */
export const traces = (title, traceql, more) =>
  size(new table.PanelBuilder().title(title).datasource(source('tempo')), { width: 24, height: 8, ...more }).withTarget(
    new tempo.TempoQueryBuilder().refId('A').queryType('traceql').query(traceql).limit(50).tableType('traces'),
  )

/** records are log records in Loki. */
export const records = (title, logql, more) =>
  size(new logs.PanelBuilder().title(title).datasource(source('loki')), { width: 24, height: 10, ...more })
    .showTime(true).enableLogDetails(true).sortOrder('Descending').wrapLogMessage(true)
    .withTarget(new loki.DataqueryBuilder().refId('A').expr(logql).queryType('range'))

/** counts are log records over time. */
export const counts = (title, queries, more = {}) => {
  const panel = new timeseries.PanelBuilder().title(title).datasource(source('loki')).unit('short').min(0)
    .drawStyle('bars').fillOpacity(60).stacking(new common.StackingConfigBuilder().mode('normal').group('A'))
  queries.forEach(([expr, legend], i) =>
    panel.withTarget(new loki.DataqueryBuilder().refId(String.fromCharCode(65 + i)).expr(expr).legendFormat(legend).queryType('range')))
  return size(panel, more)
}

export const note = (markdown, more = {}) =>
  size(new text.PanelBuilder().mode('markdown').content(markdown), { width: 24, height: 3, ...more })

/** variable is a list of a label's values. */
export const variable = (name, label, query) =>
  new dashboard.QueryVariableBuilder(name).label(label).datasource(source('prometheus'))
    .query({ query, refId: name }).refresh(2).sort(1).multi(true).includeAll(true).allValue('.*')
    .current({ selected: true, text: 'All', value: '$__all' })

/** page is a dashboard; types are the data sources that it needs. */
export const page = ({ uid, title, description, types = ['prometheus'], variables = [], rows: groups, range = 'now-1h' }) => {
  const built = new dashboard.DashboardBuilder(title).uid(uid).description(description)
    .tags(['otelcol-mcp']).time({ from: range, to: 'now' }).refresh('30s').timezone('browser').tooltip(1).readonly()
  for (const type of types) {
    built.withVariable(new dashboard.DatasourceVariableBuilder(type).label(`${type[0].toUpperCase()}${type.slice(1)}`).type(type))
  }
  for (const each of variables) built.withVariable(each)
  built.link(new dashboard.DashboardLinkBuilder('otelcol-mcp').type('dashboards').tags(['otelcol-mcp']).asDropdown(false).keepTime(true))
  for (const [name, panels] of groups) {
    if (name) built.withRow(new dashboard.RowBuilder(name))
    for (const panel of panels) built.withPanel(panel)
  }
  return built.build()
}
