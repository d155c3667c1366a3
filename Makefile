# One word does one thing. `make run` and `make test` set up what they need.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help site run dev test test-long mutation verify gen build web demo release bench shots film figures fuzz fmt clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: build ## build everything and serve on an embedded database
	@exec ./bin/fogkeep serve $(ARGS)

dev: web/node_modules/.stamp ## serve with reload: pages by vite, server rebuilt on change
	@./scripts/dev.sh

test: ## install what is missing and test everything
	@./scripts/test.sh

test-long: ## the tests that take their time: more seeds, more sources, longer matches
	@FOGKEEP_TEST_LONG=1 ./scripts/test.sh
	@$(MAKE) --no-print-directory mutation ARGS='--sample 60 --skip match --goal 70'

mutation: ## changes the product in small ways and counts what the tests notice
	go run ./internal/tools/mutation $(ARGS)

verify: web/node_modules/.stamp ## formatting, lint, generated code fresh
	@./scripts/verify.sh

build: web ## the binary with the pages inside, and the benches: bin/fogkeep, bin/fogkeep-bench
	@./scripts/need.sh go
	go build -o bin/ ./cmd/fogkeep ./cmd/fogkeep-bench

web: web/dist/site/.stamp ## the browser pages: web/dist/site

# The program of the demo has inlined functions of these packages alone, which ticks call often: it is a tenth smaller.
INLINED = $(addprefix github.com/fogkeep/fogkeep/,match/sim/... visibility match/grid match/view match/feed proto/wire) runtime/... internal/... sync/... math/rand/... math math/bits slices maps iter cmp \
	encoding/binary google.golang.org/protobuf/encoding/protowire

demo: web/node_modules/.stamp ## the match against bots in a page without a server: web/dist/demo, for any static host
	@./scripts/need.sh go node
	GOOS=js GOARCH=wasm go build -tags nethttpomithttp2 -trimpath -ldflags="-s -w" -gcflags=all=-l $(INLINED:%=-gcflags=%=) -o bin/fogkeep.wasm ./cmd/fogkeep-wasm
	gzip -9 -n -c bin/fogkeep.wasm >bin/fogkeep-wasm.bin
	cd web && npx --no-install vite build --mode demo

web/node_modules/.stamp: web/package.json web/sdk/package.json web/package-lock.json
	@./scripts/need.sh node
	cd web && npm ci --no-audit --no-fund
	@touch $@

web/dist/site/.stamp: web/node_modules/.stamp $(shell find web/src web/sdk/src web/public web/*.html web/*.ts -type f 2>/dev/null)
	cd web && npm run --silent build
	@touch $@

gen: web/node_modules/.stamp ## generated code: protobuf, OpenAPI documents and the pages' clients, shipped maps, shared vectors, the table of fields, the modules of the examples
	go test ./orders -run TestProtocolHasTheKinds -update
	web/node_modules/.bin/buf generate
	go test ./lobby/api -run 'TestOpenAPIFiles|TestPageHasTheCodes' -update
	go test ./cmd/fogkeep/server -run TestPageHasTheMetrics -update
	go test ./cmd/fogkeep/server -run TestOpenAPIFile -update
	go generate ./...
	go test ./visibility -run TestVectors -update
	go test ./match/view -run "TestMotionVectors|TestPageHasTheTable" -update
	go test ./proto/wire -run "TestTrafficVectors|TestPageHasTheParts|TestLimitsAreToldOnce" -update
	go test ./internal/docs -run TestPageHasTheFlags -update
	go test ./match -run 'TestVectors$$|TestPageHasTheClosings' -update
	cd web && npx vitest run sdk/src/state/predictioncases.test.ts -u
	for module in examples/*/go.mod; do go -C "$${module%go.mod}" mod tidy || exit 1; done

site: web/node_modules/.stamp web/docs/node_modules/.stamp ## the documentation and the reference of the TypeScript SDK as pages: artefacts/site
	cd web/docs && npm run --silent build

web/docs/node_modules/.stamp: web/docs/package.json web/docs/package-lock.json
	cd web/docs && npm ci --no-audit --no-fund
	@touch $@

release: web ## the files of a release, in artefacts/release: archives, Debian packages, lists of modules, checksums; FOGKEEP_CHROOT=FOLDER tries the package in a fresh Debian
	go run ./internal/tools/release --check $(ARGS)
	go run ./internal/tools/release --out artefacts/upgrade --targets "linux/$$(go env GOARCH)" --as 999.0.0
	FOGKEEP_PACKAGES="$$(ls -d $$PWD/artefacts/release/fogkeep_*_$$(go env GOARCH).deb):$$PWD/artefacts/upgrade/fogkeep_999.0.0_$$(go env GOARCH).deb" go test -count=1 -v -tags release ./cmd/fogkeep -run 'TestPackage$$'

fmt: web/node_modules/.stamp ## format everything
	gofmt -w $$(git ls-files '*.go')
	cd web && npm run --silent format

bench: ## the benchmarks beside the code
	go test -run '^$$' -bench . -benchmem ./...

feel: build ## how the client feels over slow networks: one JSON object, see docs/contributing/client.md
	@node --experimental-websocket --no-warnings web/bench/feel.mjs $(ARGS)

shots: web/node_modules/.stamp ## pictures of all that the renderer draws, in three qualities: artefacts/look
	@node web/bench/look.mjs $(ARGS)

film: build ## the animation of README.md, docs/ford.webp
	@node --experimental-websocket --no-warnings web/bench/film.mjs bin/fogkeep $(ARGS)

figures: build ## every figure of docs/contributing/performance.md, measured on this machine
	go run ./internal/tools/figures $(ARGS)

fuzz: ## each fuzz target for FUZZTIME (default 20s)
	@./scripts/fuzz.sh

clean: ## remove what was built (never ./data)
	rm -rf bin web/dist/site web/dist/demo artefacts
