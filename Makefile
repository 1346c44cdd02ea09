.DEFAULT_GOAL := help
.PHONY: help dependencies build demo test test-deep times lint format bench gate sanitize kernels differential faults fuzz documentation clean

# How large a file `make bench` measures, how many pairs `make differential` compares, how many faults `make faults` tries, what `make fuzz` runs and
# for how many seconds.
SIZE ?= 1GB
COUNT ?= 20000
TRIALS ?= 3000
TARGET ?= reader
DURATION ?= 60

sources := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Benchmarks Fuzz/Targets

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

dependencies: ## install the libraries that the build needs, where they are missing
	@Scripts/dependencies.sh

build: dependencies ## build the command: .build/release/coffer
	@Scripts/build.sh

demo: dependencies ## generate a backup of 100 MB with planted defects, and find them
	@COFFER_WITHOUT_DATABASES=1 Scripts/build.sh
	@Scripts/demo.sh

test: dependencies ## run all tests
	@Scripts/test.sh

test-deep: export COFFER_TEST_DEPTH = deep
test-deep: dependencies ## run all tests with many more cases, then those of `make sanitize`, for a nightly job
	@Scripts/test.sh
	@COFFER_TEST_DEPTH=everyday Scripts/sanitize.sh

times: dependencies ## show which modules take long to build, and which suites to run
	@Scripts/times.py

lint: ## check the style
	swift format lint --strict --parallel --recursive --configuration .swift-format $(sources)

format: ## rewrite the sources in the style that lint checks
	swift format format --in-place --parallel --recursive --configuration .swift-format $(sources)

bench: build ## measure (SIZE=1GB): the benchmarks, then coffer beside other programs
	swift package --package-path Benchmarks benchmark --no-progress
	Benchmarks/compare.sh $(SIZE)

gate: dependencies ## fail if validation or conversion takes more instructions a byte than Benchmarks/thresholds allows
	Benchmarks/gate.sh

sanitize: dependencies ## the tests of what runs on several threads under ThreadSanitizer, all others under AddressSanitizer
	Scripts/sanitize.sh

kernels: ## compare the scan's and the lane's vector code with the portable one, for this processor and for AArch64 under qemu
	Scripts/kernels.sh

differential: dependencies ## compare verdicts on random schemas and documents with those of jsonschema-rs (COUNT=20000)
	Scripts/differential.sh $(COUNT)

faults: build ## kill commands, and fill and break their disk, TRIALS=3000 times: check that the old or the new state remains
	Scripts/no-failpoints.sh .build/release/coffer
	Scripts/faults.sh $(TRIALS)

fuzz: dependencies ## fuzz a target (TARGET=reader, lane, foundation, roundtrip, lz4, zip, rules or evaluation; DURATION=60)
	Fuzz/run.sh $(TARGET) $(DURATION)

documentation: dependencies ## the library's documentation and the keywords' pages: out/documentation
	mkdir -p out
	# With the plugin there are more pins.
	cp Package.resolved out/
	COFFER_DOCUMENTATION=1 swift package --allow-writing-to-directory out \
	  generate-documentation --target Coffer --warnings-as-errors --output-path out/documentation; \
	  status=$$?; mv out/Package.resolved .; exit $$status

clean: ## remove everything that was built or generated
	rm -rf .build Benchmarks/.build out
