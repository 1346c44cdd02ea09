// swift-tools-version: 6.2
import PackageDescription

/// `COFFER_STRICT=1 swift build` makes every warning an error: `make lint` and CI do so.
let strict = Context.environment["COFFER_STRICT"] == "1"

let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (strict ? [.treatAllWarnings(as: .error)] : [])

/// Debug builds, which tests run, optimise the modules that most bytes pass through, and keep their assertions. SwiftPM refuses such flags in a
/// dependency.
let hot: Set = [
  "ByteStreams", "GzipStreams", "JSONEvents", "LZ4Streams", "ZIPArchives", "ZstdStreams", "Pipelines", "Findings", "Rules",
  "RuleDrafts", "SyntheticBackups",
]
let isDependency = Context.packageDirectory.contains("/checkouts/")
let optimized: [SwiftSetting] =
  isDependency ? [] : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
let optimizedC: [CSetting] = isDependency ? [] : [.unsafeFlags(["-O2"], .when(configuration: .debug))]

/// Release builds write these modules' interfaces before they optimise them, so that the modules that import them needn't wait: Scripts/build.sh takes a
/// quarter less time. It costs cross-module optimisation, which changes nothing here: what is hot across modules is `@inlinable`.
let awaited: Set = ["Rules", "BackupFormats", "Coffer"]
let interfaceFirst: [SwiftSetting] = isDependency ? [] : [.unsafeFlags(["-disable-cmo"], .when(configuration: .release))]

/// Failpoints are compiled into debug builds alone: those that tests run.
let failpoints: [SwiftSetting] = [.define("COFFER_FAILPOINTS", .when(configuration: .debug))]

let cSettings: [CSetting] = strict ? [.treatAllWarnings(as: .error)] : []

func library(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude,
    swiftSettings: swiftSettings + (hot.contains(name) ? optimized : []) + (awaited.contains(name) ? interfaceFirst : []))
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

/// What several modules' tests need: no test itself.
func testSupport(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: swiftSettings)
}

/// `COFFER_WITHOUT_DATABASES=1` builds the command without import, export, query, backup, restore and bench, and so without GRDB, which takes a quarter of a first build.
let hasDatabases = Context.environment["COFFER_WITHOUT_DATABASES"] != "1"
let databases: [Target.Dependency] = hasDatabases ? ["CofferBench", "CofferSQLite"] : []

/// Scripts/build.sh sets `COFFER_ICU_DATA`, an object that is linked before Foundation's ICU and takes the place of its data, and `COFFER_STATIC`,
/// a folder of static archives: with it, the command needs no shared library, not even the dynamic loader. libidn2 needs libunistring, which its
/// module map doesn't name. lld doesn't depend on the order of archives.
let linking: [LinkerSetting] = {
  var flags = Context.environment["COFFER_ICU_DATA"].map { [$0] } ?? []
  if let archives = Context.environment["COFFER_STATIC"] {
    flags += ["-static-executable", "-use-ld=lld", "-L\(archives)", "-lunistring"]
  }
  return flags.isEmpty ? [] : [.unsafeFlags(flags)]
}()

/// Only xxHash's header is used. Homebrew's is found with pkg-config, which also names the library; elsewhere nothing is linked.
#if os(macOS)
  let xxHash: String? = "libxxhash"
#else
  let xxHash: String? = nil
#endif

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "coffer",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Coffer", targets: ["Coffer"]),
    // Import into SQLite and export from it. No other library needs GRDB.
    .library(name: "CofferSQLite", targets: ["CofferSQLite"]),
    // Folders of backups: listing and retention.
    .library(name: "CofferFolders", targets: ["CofferFolders"]),
    // Rule documents in YAML. No other library needs libyaml.
    .library(name: "RulesYAML", targets: ["RulesYAML"]),
    .library(name: "SyntheticBackups", targets: ["SyntheticBackups"]),
    .executable(name: "coffer", targets: ["CofferCommand"]),
    // Loaded before a command that the fault tests run; linked by nothing.
    .library(name: "_FaultInjection", type: .dynamic, targets: ["FaultInjection"]),
    // For Benchmarks/ alone, which is a package of its own.
    .library(name: "_CByteScan", targets: ["CByteScan"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CYajl", pkgConfig: "yajl", providers: [.apt(["libyajl-dev"]), .brew(["yajl"])]),
    .systemLibrary(
      name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
    .systemLibrary(
      name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"]), .brew(["libidn2"])]),
    .systemLibrary(
      name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .systemLibrary(
      name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: xxHash, providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // syncfs, which Swift's module of the C library lacks.
    .systemLibrary(name: "CSyncFS"),
    .target(name: "CByteScan", cSettings: cSettings + optimizedC),
    .target(name: "CJSONEvents", dependencies: ["CByteScan", "CYajl"], cSettings: cSettings + optimizedC),
    .target(
      name: "CSQLiteRows", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")], cSettings: cSettings + optimizedC),

    library("Platform", ["CSyncFS"]),
    .target(name: "Failpoints", dependencies: ["Platform", system], swiftSettings: swiftSettings + failpoints),
    // Rule documents and pages that the libraries carry: their files are in the folders of the modules that read them.
    .target(name: "CEmbeddedFiles", cSettings: cSettings),
    library("ByteStreams", ["CEmbeddedFiles", "CZlib", "Failpoints", "Platform", system]),
    library("LZ4Streams", ["ByteStreams", "CLZ4", "CXXHash"]),
    library("GzipStreams", ["ByteStreams", "CZlib"]),
    library("ZstdStreams", ["ByteStreams", "CZstd"]),
    library("CompressedStreams", ["ByteStreams", "GzipStreams", "LZ4Streams", "ZstdStreams"]),
    library("ZIPArchives", ["ByteStreams", "GzipStreams"]),
    library("JSONEvents", ["ByteStreams", "CByteScan", "CJSONEvents", "CYajl", "Platform", system]),
    library("Pipelines", ["Platform"]),
    library("Findings", ["ByteStreams"]),
    library(
      "Rules", ["ByteStreams", "CByteScan", "CIDN2", "CPCRE2", "Findings", "JSONEvents", "Platform", system],
      exclude: ["MetaSchemas"]),
    // Apple's platforms have CryptoKit.
    library("Digests", ["Rules", .target(name: "CLibCrypto", condition: .when(platforms: [.linux]))]),
    // Rules that given documents satisfy.
    library("RuleDrafts", ["ByteStreams", "Findings", "JSONEvents", "Rules"]),
    library("RulesYAML", ["ByteStreams", "CYAML", "JSONEvents", "Rules"]),
    library(
      "BackupFormats", ["ByteStreams", "Findings", "JSONEvents", "Platform", "Rules"], exclude: ["Formats"]),
    library(
      "Reports", ["ByteStreams", "Coffer", "Digests", "Findings", "JSONEvents", "Rules"], exclude: ["HTML/Page.css"]),
    library(
      "SyntheticBackups",
      ["BackupFormats", "ByteStreams", "Digests", "Findings", "JSONEvents", "Pipelines", "Rules", "ZIPArchives"]),
    library(
      "Coffer",
      [
        "BackupFormats", "ByteStreams", "CompressedStreams", "Digests", "Findings", "GzipStreams", "JSONEvents", "LZ4Streams",
        "Pipelines", "Platform", "RuleDrafts", "Rules", "ZIPArchives", "ZstdStreams", system,
      ]),
    library(
      "CofferSQLite",
      [
        "BackupFormats", "ByteStreams", "CByteScan", "CSQLiteRows", "Coffer", "CompressedStreams", "Failpoints", "Findings",
        "JSONEvents", "Pipelines", "Platform", "Reports", "Rules", "ZIPArchives", system,
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    library(
      "CofferFolders",
      [
        "BackupFormats", "ByteStreams", "Coffer", "Digests", "Failpoints", "Findings", "JSONEvents", "Platform", "Reports",
        "Rules",
        system,
      ]),
    library(
      "CofferBench",
      ["ByteStreams", "CompressedStreams", "Findings", "JSONEvents", "Platform", "Reports", "Rules", "ZIPArchives", system]),
    .executableTarget(
      name: "CofferCommand",
      dependencies: [
        "ByteStreams", "Coffer", "CofferFolders", "Findings", "Pipelines", "Platform", "Reports", "RulesYAML", "SyntheticBackups",
        system,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ] + databases,
      exclude: hasDatabases ? [] : ["Bench", "Database"],
      swiftSettings: swiftSettings + (hasDatabases ? [] : [.define("COFFER_WITHOUT_DATABASES")]), linkerSettings: linking),

    testSupport("TestSupport", ["ByteStreams", "Platform", system, .product(name: "Subprocess", package: "swift-subprocess")]),
    testSupport("FoundationComparison", ["ByteStreams", "JSONEvents"]),
    testSupport("PlainEvaluator", ["JSONEvents", "Rules"]),
    testSupport("RoundTrip", ["ByteStreams", "JSONEvents"]),
    testSupport("LaneComparison", ["ByteStreams", "JSONEvents"]),
    testSupport("StreamDecoding", ["ByteStreams"]),
    testSupport("SchemaPairs", ["TestSupport"]),
    tests("CByteScanTests", ["CByteScan", "TestSupport"]),
    tests("ByteStreamsTests", ["ByteStreams", "Platform", "TestSupport", system]),
    tests(
      "LZ4StreamsTests",
      ["ByteStreams", "LZ4Streams", "StreamDecoding", "TestSupport", system]),
    tests(
      "CompressedStreamsTests",
      ["ByteStreams", "CompressedStreams", "GzipStreams", "LZ4Streams", "StreamDecoding", "TestSupport", "ZstdStreams"]),
    tests(
      "ZIPArchivesTests",
      ["ByteStreams", "TestSupport", "ZIPArchives", system, .product(name: "Subprocess", package: "swift-subprocess")]),
    tests(
      "JSONEventsTests",
      ["ByteStreams", "CByteScan", "FoundationComparison", "JSONEvents", "LaneComparison", "RoundTrip", "TestSupport", system]),
    tests("PipelinesTests", ["Pipelines", "TestSupport"]),
    tests("FindingsTests", ["ByteStreams", "Findings"]),
    tests(
      "RulesTests",
      ["ByteStreams", "Findings", "JSONEvents", "PlainEvaluator", "Rules", "SchemaPairs", "TestSupport", system]),
    tests("RuleDraftsTests", ["ByteStreams", "JSONEvents", "RuleDrafts", "Rules"]),
    tests("DigestsTests", ["Digests", "Rules"]),
    tests("RulesYAMLTests", ["ByteStreams", "Coffer", "JSONEvents", "Rules", "RulesYAML", "TestSupport", system]),
    tests("PlainEvaluatorTests", ["ByteStreams", "PlainEvaluator", "Rules", "SchemaPairs", "TestSupport"]),
    tests("ReportsTests", ["ByteStreams", "Coffer", "Findings", "JSONEvents", "Reports", "Rules", "TestSupport"]),
    tests(
      "SyntheticBackupsTests",
      [
        "BackupFormats", "ByteStreams", "Coffer", "JSONEvents", "Rules", "SyntheticBackups", "TestSupport",
        .product(name: "Subprocess", package: "swift-subprocess"), system,
      ]),
    tests(
      "CofferTests",
      [
        "BackupFormats", "Coffer", "JSONEvents", "Platform", "Reports", "RuleDrafts", "Rules", "RulesYAML", "SchemaPairs",
        "SyntheticBackups", "TestSupport", "ZIPArchives", system,
      ]),
    tests(
      "CofferSQLiteTests",
      [
        "BackupFormats", "ByteStreams", "Coffer", "CofferSQLite", "CSQLiteRows", "JSONEvents", "LZ4Streams", "Pipelines",
        "Rules", "SyntheticBackups", "TestSupport", "ZIPArchives", system,
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    tests(
      "CofferFoldersTests",
      ["BackupFormats", "ByteStreams", "Coffer", "CofferFolders", "Platform", "Rules", "SyntheticBackups", "TestSupport", system]),
    tests("CofferBenchTests", ["ByteStreams", "CofferBench", "Platform", "Reports", "TestSupport", system]),
    .target(
      name: "FaultInjection", path: "Tests/FaultInjection",
      cSettings: cSettings),
    tests(
      "FaultTests",
      [
        "CofferCommand", "TestSupport", system,
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]),
    tests(
      "DocumentationTests",
      [
        "CofferCommand", "TestSupport", system, .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]),
    tests(
      "CommandTests",
      [
        "ByteStreams", "CofferCommand", "Platform", "TestSupport", system,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]),
  ]
)

/// The folders of `Sources` that hold several modules.
let shelves = [
  "Base": ["ByteStreams", "Failpoints", "Pipelines", "Platform"],
  "Codecs": ["CompressedStreams", "GzipStreams", "LZ4Streams", "ZIPArchives", "ZstdStreams"],
  "CLibraries": [
    "CByteScan", "CEmbeddedFiles", "CIDN2", "CJSONEvents", "CLZ4", "CLibCrypto", "CPCRE2", "CSQLiteRows", "CSyncFS", "CXXHash",
    "CYAML", "CYajl", "CZlib", "CZstd",
  ],
]
for target in package.targets {
  guard let shelf = shelves.first(where: { $0.value.contains(target.name) })?.key else { continue }
  target.path = "Sources/\(shelf)/\(target.name)"
}

/// `COFFER_DIFFERENTIAL=1` adds what prints pairs of schemas and instances: Scripts/differential.sh builds it.
if Context.environment["COFFER_DIFFERENTIAL"] == "1" {
  package.targets.append(
    .executableTarget(
      name: "schema-pairs",
      dependencies: [
        "Coffer", "SchemaPairs",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Differential/PrintPairs", swiftSettings: swiftSettings))
}

/// `COFFER_FUZZ=1` adds the fuzz targets, which have no `main` of their own, for libFuzzer brings it: Fuzz/run.sh builds them.
if Context.environment["COFFER_FUZZ"] == "1" {
  func fuzzTarget(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Fuzz/Targets/\(name)", swiftSettings: swiftSettings)
  }
  package.targets += [
    fuzzTarget("FuzzLZ4", ["ByteStreams", "LZ4Streams", "StreamDecoding"]),
    fuzzTarget("FuzzGzip", ["ByteStreams", "GzipStreams", "StreamDecoding"]),
    fuzzTarget("FuzzZstd", ["ByteStreams", "StreamDecoding", "ZstdStreams"]),
    fuzzTarget("FuzzZIP", ["ByteStreams", "ZIPArchives"]),
    fuzzTarget("FuzzReader", ["ByteStreams", "JSONEvents"]),
    fuzzTarget("FuzzFoundation", ["FoundationComparison"]),
    fuzzTarget("FuzzRoundTrip", ["RoundTrip"]),
    fuzzTarget("FuzzLane", ["JSONEvents", "LaneComparison"]),
    fuzzTarget("FuzzRecover", ["Coffer"]),
    fuzzTarget("FuzzRules", ["ByteStreams", "Rules"]),
    fuzzTarget("FuzzEvaluation", ["ByteStreams", "Findings", "JSONEvents", "PlainEvaluator", "Rules"]),
  ]
}

/// `COFFER_DOCUMENTATION=1` adds the plugin that `make documentation` calls, so that no other build waits for it.
if Context.environment["COFFER_DOCUMENTATION"] == "1" {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
