# lithos. `make help` lists what can be made.

GO      ?= go
TOOLS   := $(CURDIR)/.tools
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# What a release is built with: pure-Go name lookups and no loadable SQLite
# extensions so that it can be linked statically, and no documentation
# generator of the flag library, which would cost every start a millisecond.
TAGS    := urfave_cli_no_docs,netgo,osusergo,sqlite_omit_load_extension
LDFLAGS := -s -w -X dev.lithos/cli.Version=$(VERSION)
STATIC  := $(if $(filter Linux,$(shell uname -s)),-linkmode external -extldflags -static)

GOLANGCI_VERSION := v2.15.0

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: toolchain
toolchain:
	@command -v $(GO) >/dev/null 2>&1 || { \
		echo "lithos needs Go (1.26 or newer) to be built: install it from your package manager or go.dev/dl." >&2; exit 1; }
	@cc=$$($(GO) env CC); command -v $${cc%% *} >/dev/null 2>&1 || { \
		echo "lithos needs a C compiler, because its store is SQLite compiled in; '$$cc' was not found." >&2; \
		echo "Install one, for example:  apt-get install gcc libc6-dev  ·  dnf install gcc  ·  apk add build-base  ·  xcode-select --install" >&2; exit 1; }
	@test "$$($(GO) env CGO_ENABLED)" = 1 || { \
		echo "lithos needs cgo, but it is switched off. Unset CGO_ENABLED, or set it to 1." >&2; exit 1; }

.PHONY: build
build: toolchain ## build ./lithos as it is released
	CGO_ENABLED=1 $(GO) build -trimpath -tags $(TAGS) -ldflags '$(LDFLAGS) $(STATIC)' -o lithos .

.PHONY: install
install: toolchain ## build lithos into Go's bin folder
	CGO_ENABLED=1 $(GO) install -trimpath -tags $(TAGS) -ldflags '$(LDFLAGS) $(STATIC)' .

.PHONY: demo
demo: build ## build, make a small example graph and show it
	@sh docs/demo.sh ./lithos

.PHONY: test
test: toolchain ## run the tests
	$(GO) test ./...
	$(GO) test -tags testclock -run Clock ./cli/storm

.PHONY: race
race: toolchain ## run the tests of what runs in parallel under the race detector
	$(GO) test -race -short ./core/... ./store/... ./cli/mcpserver/... ./tui/...

.PHONY: soak
soak: toolchain ## run the long storms: many processes, kills, long fuzzing
	$(GO) test -tags soak -timeout 90m -run Soak -v ./...

# How long each fuzz target runs.
FUZZTIME ?= 10m

.PHONY: fuzz
fuzz: toolchain ## run every fuzz target of the module for FUZZTIME (10m) each
	@grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's|/[^/]*_test.go:func | |' | sort | \
	while read -r package target; do \
		echo "$$package $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" || exit 1; \
	done

# The sizes of the graphs that are measured, and where the report goes.
BENCH_SIZES ?= 10k,100k
BENCH_OUT   ?= docs/benchmarks.md

.PHONY: bench
bench: toolchain ## measure speed as ratios against the raw engine (BENCH_SIZES=10k,100k)
	$(GO) run ./store/bench -sizes $(BENCH_SIZES) -out $(BENCH_OUT)

.PHONY: bench-full
bench-full: ## the same up to a million tasks
	$(MAKE) bench BENCH_SIZES=10k,100k,1M

.PHONY: bench-peers
bench-peers: toolchain ## measure bd, task and backlog beside lithos, where they are installed
	$(GO) run ./store/bench -only peers -sizes 1k

.PHONY: golden
golden: toolchain ## rewrite the golden files, to be read in the diff
	$(GO) test ./... -update
	@git diff --stat

.PHONY: screens
screens: toolchain ## draw the pictures of docs/screens anew, from the program
	$(GO) test ./tui -run TestScreens -count 1 -update

.PHONY: docs
docs: toolchain ## rewrite the generated documentation
	$(GO) test ./core ./cli ./cli/mcpserver ./tui -run 'Document|Snapshot' -update

.PHONY: fmt
fmt: ## format the sources
	gofmt -w $$(git ls-files '*.go')

.PHONY: fmt-check
fmt-check:
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "not formatted: $$out" >&2; exit 1; }

.PHONY: lint
lint: toolchain $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION) ## vet, and staticcheck and the other rules of .golangci.yml
	$(GO) vet ./...
	$(TOOLS)/golangci-lint-$(GOLANGCI_VERSION) run

$(TOOLS)/golangci-lint-$(GOLANGCI_VERSION):
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv $(TOOLS)/golangci-lint $@

.PHONY: vuln
vuln: ## look the dependencies up in the vulnerability database (needs the network)
	$(GO) run golang.org/x/vuln/cmd/govulncheck@latest ./...

.PHONY: ci
ci: fmt-check lint test race demo ## everything a change has to pass

.PHONY: clean
clean: ## remove what was built
	rm -rf lithos .tools
