.DEFAULT_GOAL := help
.PHONY: help dependencies build demo test test-deep test-web test-spark package test-package times lint format bench gate sanitize kernels differential faults fuzz documentation clean

# SIZE: the file of `make bench`; COUNT: the pairs of `make differential`; TRIALS: the faults of `make faults`; TARGET, DURATION: the target of
# `make fuzz` and its seconds.
SIZE ?= 1GB
COUNT ?= 20000
TRIALS ?= 3000
TARGET ?= reader
DURATION ?= 60

sources := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Benchmarks Fuzz/Targets

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

dependencies: ## install missing libraries that the build needs
	@Scripts/dependencies.sh

build: dependencies ## build the command: .build/release/coffer
	@Scripts/build.sh

demo: dependencies ## generate a backup of 100 MB with planted defects, and find them
	@COFFER_WITHOUT_DATABASES=1 Scripts/build.sh
	@Scripts/demo.sh

test: dependencies ## run all tests
	@Scripts/test.sh

test-deep: export COFFER_TEST_DEPTH = deep
test-deep: dependencies ## run all tests with many more cases, then those of `make sanitize` (nightly)
	@Scripts/test.sh
	@COFFER_TEST_DEPTH=everyday Scripts/sanitize.sh

test-web: ## check HTML reports in Chromium: accessibility, at two widths and in both colour schemes
	@Scripts/dependencies.sh --web
	@Scripts/check-reports.sh --web

test-spark: ## test Spark/: style, types, and runs of PySpark on two clusters of this machine
	@Scripts/dependencies.sh --spark
	@Scripts/test-spark.sh

package: ## make a tarball, a wheel and a Debian package of the command: out/package
	@Scripts/dependencies.sh --package
	@Scripts/package.sh

test-package: ## test packages, completions, manual pages and the files for CI systems
	@Scripts/test-package.sh

times: dependencies ## show the time that modules take to build and suites to run
	@Scripts/times.py

lint: ## check the code style, circles between folders, the modules' budgets of code lines, and that all files name one version
	swift format lint --strict --parallel --recursive --configuration .swift-format $(sources)
	@Scripts/folders.py -v
	@Scripts/lines.py
	@Scripts/version.py

format: ## format the sources as `make lint` requires
	swift format format --in-place --parallel --recursive --configuration .swift-format $(sources)

bench: build ## run the benchmarks, then compare coffer with other programs (SIZE=1GB)
	swift package --package-path Benchmarks benchmark --no-progress
	Benchmarks/compare.sh $(SIZE)

gate: dependencies ## fail if validation or conversion takes more instructions per byte than Benchmarks/thresholds allows
	Benchmarks/gate.sh

sanitize: dependencies ## run threaded tests under ThreadSanitizer, all others under AddressSanitizer
	Scripts/sanitize.sh

kernels: ## compare the vector code of scan and lane with the portable code, on this processor and on AArch64 under qemu
	Scripts/kernels.sh

differential: dependencies ## compare results for random schemas and documents with jsonschema-rs (COUNT=20000)
	Scripts/differential.sh $(COUNT)

faults: build ## kill commands, and make their disk full or broken: check that the old or the new state remains (TRIALS=3000)
	Scripts/no-failpoints.sh .build/release/coffer
	Scripts/faults.sh $(TRIALS)

fuzz: dependencies ## fuzz a target (TARGET=reader, lane, foundation, roundtrip, lz4, gzip, zstd, zip, rules or evaluation; DURATION=60)
	Fuzz/run.sh $(TARGET) $(DURATION)

# The products, and the modules that Coffer exports: their types are in its API.
documented := Coffer CofferSQLite CofferFolders RulesYAML SyntheticBackups \
  BackupFormats ByteStreams CompressedStreams Findings GzipStreams JSONEvents LZ4Streams Rules ZIPArchives ZstdStreams

documentation: dependencies ## build the documentation of all libraries and the keywords: out/documentation
	mkdir -p out
	# The plugin adds pins to Package.resolved.
	cp Package.resolved out/
	COFFER_DOCUMENTATION=1 swift package --allow-writing-to-directory out \
	  generate-documentation $(addprefix --target ,$(documented)) --enable-experimental-combined-documentation \
	  --warnings-as-errors --output-path out/documentation; \
	  status=$$?; mv out/Package.resolved .; exit $$status

clean: ## remove all build products and generated files
	rm -rf .build Benchmarks/.build out
