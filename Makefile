# `make help` lists the targets. Nothing here needs the network but for package registries.

GO     ?= go
BINARY := bin/otelcol-mcp
TAP    := bin/mcptap
JAEGER := build/jaeger
STAGE  := test/stage.sh
LINT   := $(GO) tool -modfile=tools/go.mod golangci-lint
# Written by tools, so not formatted by hand.
SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.go' | grep -v '^cmd/otelcol-mcp/')
# Race detection needs a C compiler. On a build server test/needs.sh has failed by then if there is none.
RACE   ?= $(if $(shell command -v gcc || command -v clang),-race)

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

.PHONY: generate
generate: ## write cmd/otelcol-mcp (ocb), the components' metadata (mdatagen), docs/metrics.md, docs/conformance.md and docs/dialects.md
	$(GO) tool builder --config builder-config.yaml --skip-get-modules --skip-compilation
	$(GO) generate ./receiver/... ./processor/... ./exporter/...
	$(GO) run ./test/docgen

.PHONY: dashboards
dashboards: ## write deploy/grafana/dashboards from their sources
	test/needs.sh deploy/grafana
	rm -f deploy/grafana/dashboards/*.json
	node deploy/grafana/src/main.mjs deploy/grafana/dashboards

.PHONY: checkgen
checkgen: ## fail if generating changes anything
	test/checkgen.sh

.PHONY: ui
ui: ## build the web UI
	test/needs.sh
	cd exporter/inspectorexporter/ui && npm run build

.PHONY: checkui
checkui: ## test the web UI and fail if what is committed is not built from its source
	test/needs.sh
	test/checkui.sh

.PHONY: pictures
pictures: ## take the pictures of the web UI for docs/img
	test/needs.sh
	PICTURES=$(CURDIR)/docs/img $(GO) test -count=1 -run TestPage/pictures ./test/page

# Two real agents, at work in real time and sped up afterwards: takes two minutes.
.PHONY: film
film: build ## film the web UI with real agents for docs/img/agents.webp
	test/needs.sh test/page test/agents
	FILM=$(CURDIR)/docs/img/agents.webp AGENTS=$(CURDIR)/test/agents OTELCOL_MCP=$(CURDIR)/$(BINARY) MCPTAP=$(CURDIR)/$(TAP) \
		$(GO) test -count=1 -v -run TestFilm ./test/agents

.PHONY: fmt
fmt: ## format as the linter wants it
	$(LINT) fmt ./...

.PHONY: checkfmt
checkfmt: ## fail if a file is not formatted
	@unformatted=$$(gofmt -s -l $(SOURCES)); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi

.PHONY: vet
vet: ## go vet
	$(GO) vet ./...

.PHONY: lint
lint: ## golangci-lint with .golangci.yml
	$(LINT) run ./...

# What --version prints: the distribution's version, the commit and its date, so that a build of one commit
# is the same whenever it is made.
VERSION := github.com/otelcol-mcp/otelcol-mcp/internal/version
RELEASE := $(shell sed -n 's/^  version: *//p' builder-config.yaml)
COMMIT := $(shell git rev-parse HEAD 2>/dev/null)
DATE := $(shell git log -1 --format=%cI 2>/dev/null)
STAMP = -X $(VERSION).release=$(RELEASE) -X $(VERSION).commit=$(COMMIT) -X $(VERSION).date=$(DATE)

# Always: go knows better than make what has changed.
.PHONY: build $(BINARY)
build: $(BINARY) $(TAP) ## build bin/otelcol-mcp and bin/mcptap
$(BINARY): own-module
	@echo 'build $@; the first time takes a few minutes'
	@$(GO) build -trimpath -ldflags '$(STRIP) $(STAMP)' -o $@ ./cmd/otelcol-mcp

# ocb without --skip-get-modules writes a module of its own into cmd/otelcol-mcp, which hides the package from ours.
.PHONY: own-module
own-module:
	@rm -f cmd/otelcol-mcp/go.mod cmd/otelcol-mcp/go.sum

# Without the symbols, which only debuggers need: a third smaller. Who looks for vulnerable functions needs them.
STRIP = -s -w
vulns: STRIP =

# Static and small: it is copied to where MCP servers run.
.PHONY: $(TAP)
$(TAP):
	@echo 'build $@'
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w $(STAMP)' -o $@ ./cmd/mcptap

HEALTH := http://localhost:13134/status

.PHONY: run
run: $(BINARY) $(TAP) ## build both binaries and run the default configuration, which logs its addresses
	@curl -fs -m 2 -o /dev/null $(HEALTH); case $$? in \
		0) echo 'A collector already runs: $(HEALTH) answers. Use it, or stop it first.' >&2; exit 1;; \
		28) echo 'Something listens at $(HEALTH), but does not answer. Stop it, then try again.' >&2; exit 1;; \
	esac
	@exec $(BINARY) --config embedded:default

.PHONY: demo
demo: $(TAP) ## simulate five agents for the web UI, while make run runs in another terminal
	$(TAP) demo

# The tool directive of the module names Jaeger's package, and its version is pinned there.
$(JAEGER): test/jaeger/go.mod test/jaeger/go.sum
	$(GO) -C test/jaeger build -o $(CURDIR)/$(JAEGER) github.com/jaegertracing/jaeger/cmd/jaeger
	@touch $(JAEGER)

# Like Jaeger. It takes too long to build for make test.
build/loki: test/loki/go.mod test/loki/go.sum
	$(GO) -C test/loki build -o $(CURDIR)/$@ github.com/grafana/loki/v3/cmd/loki
	@touch $@

.PHONY: loki
loki: build/loki build/otelcol-mcp ## send log records to a real Loki with the configuration of deploy/compose
	env OTELCOL_MCP=$(CURDIR)/build/otelcol-mcp LOKI=$(CURDIR)/build/loki $(GO) test -count=1 -v -run TestLoki ./test/configs

# The collector that the end-to-end tests run looks for races too.
build/otelcol-mcp: FORCE own-module
	$(GO) build $(RACE) -o $@ ./cmd/otelcol-mcp

.PHONY: FORCE
FORCE:

.PHONY: quick
quick: ## check what has changed on your branch in about a minute: format, vet, short tests
	@$(STAGE) 'quick' test/quick.sh

.PHONY: test
test: ## get what the tests need, then run all of them
	@$(STAGE) 'what the tests need' test/needs.sh
	@$(if $(wildcard test/jaeger/go.mod),$(STAGE) 'build Jaeger' $(MAKE) --no-print-directory $(JAEGER))
	@$(STAGE) 'build the collector for the tests' $(MAKE) --no-print-directory build/otelcol-mcp
	@$(STAGE) 'Kubernetes manifests' $(GO) -C test/kubernetes test ./...
	@$(STAGE) 'compose and Dockerfiles' $(GO) -C test/compose test ./...
	@$(STAGE) 'tests' env OTELCOL_MCP=$(CURDIR)/build/otelcol-mcp $(GO) test $(RACE) -timeout 20m ./...
	@$(STAGE) 'contract of the Inspector gateway' env OTELCOL_MCP=$(CURDIR)/build/otelcol-mcp $(GO) -C test/contract test -count=1 ./...

# How long each target is fuzzed, two at a time. CI takes 20s: with 45 targets, 8 minutes.
FUZZTIME ?= 10m

.PHONY: fuzz
fuzz: ## fuzz each decoder for FUZZTIME (10m)
	test/fuzz.sh $(FUZZTIME)

FAULTS = OTELCOL_MCP=$(CURDIR)/$(BINARY) $(GO) test -count=1 -timeout 6h -v

.PHONY: faults
faults: $(BINARY) ## break everything around the collector, in the long form; takes two hours
	$(FAULTS) ./test/faults -args -long -damages 1000
	$(FAULTS) ./test/events -args -kills 200 -events 10000
	$(FAULTS) ./test/starts -args -starts 100
	$(FAULTS) ./test/fulldisk

.PHONY: soak
soak: $(BINARY) ## load one collector for 45 minutes and compare what it takes
	$(FAULTS) ./test/faults -run TestSoak -args -long

# The agents are 1.4 GB in all, so they are a stage of CI and not part of make test. Here is the network that
# they need to be installed; when they run, there is loopback only.
.PHONY: agents
agents: build/otelcol-mcp $(TAP) ## run real coding agents against a scripted model (test/agents)
	@$(STAGE) 'coding agents from npm' test/agents/install.sh
	@$(MAKE) --no-print-directory run-agents AGENTS=$(CURDIR)/test/agents

.PHONY: agents-latest
agents-latest: build/otelcol-mcp $(TAP) ## the same with the newest versions on npm
	@$(STAGE) 'newest coding agents from npm' test/agents/latest.sh build/agents-latest
	@$(MAKE) --no-print-directory run-agents AGENTS=$(CURDIR)/build/agents-latest

.PHONY: run-agents
run-agents:
	@$(GO) build -o build/test-agents/toolserver ./test/agents/toolserver
	@$(STAGE) 'agents' env AGENTS=$(AGENTS) OTELCOL_MCP=$(CURDIR)/build/otelcol-mcp MCPTAP=$(CURDIR)/$(TAP) \
		test/agents/offline.sh $(GO) test -count=1 -timeout 20m -v -run 'TestAgents|TestPermission' ./test/agents

.PHONY: blocked
blocked: build/otelcol-mcp $(TAP) ## break mcptap and the collector under real coding agents; takes a quarter of an hour
	@$(STAGE) 'coding agents from npm' test/agents/install.sh
	@$(GO) build -o build/test-agents/toolserver ./test/agents/toolserver
	AGENTS=$(CURDIR)/test/agents OTELCOL_MCP=$(CURDIR)/build/otelcol-mcp MCPTAP=$(CURDIR)/$(TAP) \
		test/agents/offline.sh $(GO) test -count=1 -timeout 40m -v -run TestNoAgentIsBlocked ./test/agents

.PHONY: plays
plays: build/otelcol-mcp $(TAP) ## use real coding agents in a terminal and print when the web UI shows each fact; takes ten minutes
	@$(STAGE) 'coding agents from npm' test/agents/install.sh
	@$(GO) build -o build/test-agents/toolserver ./test/agents/toolserver
	AGENTS=$(CURDIR)/test/agents OTELCOL_MCP=$(CURDIR)/build/otelcol-mcp MCPTAP=$(CURDIR)/$(TAP) \
		test/agents/offline.sh $(GO) test -count=1 -timeout 30m -v -run TestPlays ./test/agents

.PHONY: bench
bench: $(BINARY) ## run the benchmarks and print their tables
	$(GO) run ./bench
	$(GO) run ./bench/collector

.PHONY: bench-scale
bench-scale: ## measure several producers, a million sessions and a long session; takes 3 GiB
	$(GO) run ./bench/scale

.PHONY: bench-tap
bench-tap: $(BINARY) $(TAP) ## measure the overhead of mcptap
	$(GO) run ./bench/tap

.PHONY: newcomer
newcomer: ## time the getting-started path, from make run to dashboards with data; at most five minutes
	test/needs.sh
	test/newcomer.sh

.PHONY: validate
validate: $(BINARY) ## let the binary validate every shipped configuration
	test/validate.sh $(BINARY)

.PHONY: vulns
vulns: $(BINARY) ## look for known vulnerabilities in what the binaries contain
	test/vulnerabilities.sh $(BINARY)

.PHONY: licenses
licenses: ## fail if something in the binaries has a licence that is not allowed
	test/needs.sh
	test/licenses.sh

.PHONY: sbom
sbom: $(BINARY) $(TAP) ## write what the binaries contain to build/sbom (CycloneDX)
	test/needs.sh
	test/sbom.sh build/sbom $(BINARY) $(TAP)

RELEASER = CGO_ENABLED=0 $(GO) tool -modfile=tools/release/go.mod goreleaser

.PHONY: checkrelease
checkrelease: ## check .goreleaser.yaml with goreleaser itself
	$(RELEASER) check

# The same as a release, for this machine's platform, without what needs Docker or an identity to sign with.
.PHONY: dist
dist: ## make archives, packages, SBOMs and checksums for this machine in build/dist
	@mkdir -p build
	sed -e 's/goos: \[.*/goos: [$(shell $(GO) env GOOS)]/; s/goarch: \[.*/goarch: [$(shell $(GO) env GOARCH)]/' \
		-e '$$a dist: build/dist' .goreleaser.yaml >build/goreleaser.yaml
	RELEASE=$(RELEASE) COMMIT=$(COMMIT) DATE=$(DATE) $(RELEASER) release --snapshot --clean --skip=docker,sign --config build/goreleaser.yaml

.PHONY: checkdist
checkdist: dist ## install the Debian package, run what its unit runs, and remove it
	test/needs.sh
	DIST=$(CURDIR)/build/dist $(GO) test -count=1 ./test/release

# Needs Docker with buildx, cosign, and the tokens that .github/workflows/release.yml has.
.PHONY: release
release: ## publish what the tag of this commit names, as a draft; for the workflow
	$(RELEASER) release --clean

.PHONY: checktag
checktag: ## fail unless TAG is the version in builder-config.yaml and in the chart
	@for version in '$(RELEASE)' "$$(sed -n 's/^appVersion: *//p' deploy/helm/otelcol-mcp/Chart.yaml)"; do \
		[ "$(TAG)" = "v$$version" ] || { echo "the tag is $(TAG), the version $$version" >&2; exit 1; }; \
	done

.PHONY: cross
cross: ## vet our packages and build mcptap for all platforms of a release
	test/cross.sh

.PHONY: cross-all
cross-all: ## build both programs for all platforms of a release; takes long
	test/cross.sh all

.PHONY: clean
clean: ## remove what was built
	rm -rf bin build cmd/otelcol-mcp/otelcol-mcp cmd/otelcol-mcp/go.mod cmd/otelcol-mcp/go.sum
