#!/usr/bin/env bash
# Fuzzes every target for a while, one after the other: test/fuzz.sh TIME [PACKAGE...]
# What is found is written to testdata/fuzz beside the target, from where `go test` runs it again.
set -uo pipefail
cd "$(dirname "$0")/.."

time=$1
shift

# go test sometimes reports the end of -fuzztime as a failure (golang/go#75804). Then its one
# complaint is the deadline. A finding has an input, an uncaught panic or a worker that died.
out_of_time() {
	[ "$(grep -A1 -E '^--- FAIL' <<<"$1" | tail -n +2 | tr -d ' ')" = contextdeadlineexceeded ] &&
		! grep -qE 'Failing input written|panic:|hung or terminated|fatal error' <<<"$1"
}

go=${GO:-go}
failed=()
targets=0
while IFS=: read -r file target; do
	package=./$(dirname "$file")
	if [ "$#" -gt 0 ] && [[ " $* " != *" $package "* ]]; then
		continue
	fi
	targets=$((targets + 1))
	# Minimizing what is new costs more than finding it, in short runs.
	if ! output=$("$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1s -parallel "${FUZZ_WORKERS:-2}" "$package" 2>&1) && ! out_of_time "$output"; then
		echo "$output"
		failed+=("$package $target")
	else
		echo "$package $target: $(grep -oE 'execs: [0-9]+.*' <<<"$output" | tail -1)"
	fi
done < <(git grep -oE '^func Fuzz[A-Za-z0-9]+' -- '*_test.go' | sed 's/:func /:/')
echo "$targets targets, $time each"
if [ "${#failed[@]}" -gt 0 ]; then
	printf 'FOUND: %s\n' "${failed[@]}"
	exit 1
fi
