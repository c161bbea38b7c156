#!/usr/bin/env bash
# Times the getting-started path in an empty home: make run, make demo, and a Prometheus with the shipped configuration,
# until it answers every query of the dashboards. It prints how long each step took, and fails if
# all of them took longer than five minutes: test/newcomer.sh
# What Go has downloaded and compiled before stays; the ports are the default ones.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=300
for program in prometheus jq curl go make; do
	command -v "$program" >/dev/null || {
		echo "MISSING: $program" >&2
		exit 1
	}
done
folder=$(mktemp -d)
GOPATH=$(go env GOPATH) GOCACHE=$(go env GOCACHE)
export GOPATH GOCACHE HOME=$folder/home
unset XDG_STATE_HOME
mkdir "$HOME"
pids=()
finish() {
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$folder"
}
trap finish EXIT

start=$SECONDS
took() { printf '%4ds  %s\n' "$((SECONDS - start))" "$1"; }

fail() {
	echo "$1" >&2
	tail -n 20 "$folder"/*.log >&2
	exit 1
}

# Waits for a command to succeed, as long as there is time.
until_ok() {
	local what=$1
	shift
	until "$@"; do
		[ $((SECONDS - start)) -lt "$limit" ] || fail "not within ${limit}s: $what"
		sleep 0.5
	done
}

answers() { curl -fs -o /dev/null "$1"; }

! answers http://localhost:13134/status || fail 'A collector runs already.'
# The shell that make leaves behind becomes the collector, so that ending it ends that.
setsid make --no-print-directory run >"$folder/run.log" 2>&1 &
run=$!
stop_run() { kill -TERM -- "-$run" 2>/dev/null || true; }
trap 'stop_run; finish' EXIT
until_ok 'make run' answers http://localhost:13134/status
took 'make run: the collector is up'

make --no-print-directory demo >"$folder/demo.log" 2>&1 &
pids+=($!)
until_ok 'a session in the web UI' sh -c 'curl -fs "http://localhost:7810/_inspector/sessions?limit=1" | grep -q \"id\"'
took 'make demo: a session is in the web UI'

prometheus --config.file=deploy/prometheus/prometheus.yml --storage.tsdb.path="$folder/data" \
	--web.listen-address=localhost:9090 --enable-feature=exemplar-storage >"$folder/prometheus.log" 2>&1 &
pids+=($!)
until_ok 'Prometheus' answers http://localhost:9090/-/ready
took 'prometheus: it is up'

# What a panel shows as an increase needs a first value before it: so the agents play twice. And a message that is
# none, for the panel of what is rejected.
wait "${pids[0]}" || fail 'make demo'
curl -s -o /dev/null http://localhost:4319/v1/observations -H 'Content-Type: application/x-ndjson' --data-binary '{'
make --no-print-directory demo >"$folder/demo.log" 2>&1 &
pids[0]=$!

# Title and query of each panel that asks Prometheus, with the variables as Grafana would fill them in.
queries() {
	jq -r '.title as $d | [.panels[] | ., (.panels // [])[]][] | select(.datasource.type == "prometheus") | .title as $p
		| .targets[] | [$d + ": " + $p, .expr] | @tsv' deploy/grafana/dashboards/*.json |
		sed -e 's/\$__rate_interval/1m/g; s/\$__range/5m/g; s/\$\(server\|tool\|client\)/.*/g; s/\\"/"/g'
}

has_data() {
	curl -fs --data-urlencode "query=$1" http://localhost:9090/api/v1/query | jq -e '[.data.result[].value[1] | select(. != "NaN")] | length > 0' >/dev/null
}

n=0 empty=0
while IFS=$'\t' read -r panel query; do
	# make run has no exporter with a queue: what shows one is empty until you name a backend.
	if [[ $query == *otelcol_exporter_queue_* ]]; then
		has_data "$query" || empty=$((empty + 1))
		continue
	fi
	until_ok "$panel: $query" has_data "$query"
	n=$((n + 1))
	[ "$n" -gt 1 ] || took 'the first panel has data'
done < <(queries)
[ "$n" -gt 20 ] || fail "only $n queries were found"
took "all $n queries of the dashboards have data; $empty more wait for a backend to queue for"
