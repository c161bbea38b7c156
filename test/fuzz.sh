#!/usr/bin/env bash
# Fuzzes every target for a while: test/fuzz.sh TIME [PACKAGE...]
# What is found is written to testdata/fuzz beside the target, from where `go test` runs it again.
# FUZZ_TARGETS (2) targets at a time, each with FUZZ_WORKERS (1) workers: two processes of one worker find
# more than one of two, which coordinates, and while one is built the other one fuzzes.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

export time=$1 go=${GO:-go} workers=${FUZZ_WORKERS:-1}
shift

# go test sometimes reports the end of -fuzztime as a failure (golang/go#75804). Then its one
# complaint is the deadline. A finding has an input, an uncaught panic or a worker that died.
out_of_time() {
	[ "$(grep -A1 -E '^--- FAIL' <<<"$1" | tail -n +2 | tr -d ' ')" = contextdeadlineexceeded ] &&
		! grep -qE 'Failing input written|panic:|hung or terminated|fatal error' <<<"$1"
}

# fuzz fuzzes one target and says in one write how that went, so that two do not mix.
fuzz() {
	local package=$1 target=$2 output
	# Minimizing what is new costs more than finding it, in short runs.
	if output=$("$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1s -parallel "$workers" "$package" 2>&1) || out_of_time "$output"; then
		output=$(grep -oE 'execs: [0-9]+.*' <<<"$output" | tail -1)
		printf '%s %s: %s\n' "$package" "$target" "${output:-only its seeds}"
		return
	fi
	printf '%s\nFOUND: %s %s\n' "$output" "$package" "$target"
	return 1
}
export -f fuzz out_of_time

targets=()
while IFS=: read -r file target; do
	package=./$(dirname "$file")
	if [ "$#" -eq 0 ] || [[ " $* " == *" $package "* ]]; then
		targets+=("$package" "$target")
	fi
done < <(git grep -oE '^func Fuzz[A-Za-z0-9]+' -- '*_test.go' | sed 's/:func /:/')

log=$(mktemp)
trap 'rm -f "$log"' EXIT
printf '%s\n' "${targets[@]}" | xargs -r -n 2 -P "${FUZZ_TARGETS:-2}" bash -c 'fuzz "$@"' fuzz | tee "$log"
failed=${PIPESTATUS[1]}
echo "$((${#targets[@]} / 2)) targets, $time each"
grep '^FOUND: ' "$log"
exit "$((failed != 0))"
