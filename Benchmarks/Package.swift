// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "coffer", path: ".."),
    // Omit its traits, which replace malloc, retain and release to count calls: no benchmark here needs that.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "Documents",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "Coffer", package: "coffer"),
        .product(name: "SyntheticBackups", package: "coffer"),
        .product(name: "_CByteScan", package: "coffer"),
      ],
      path: "Benchmarks/Documents",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ]
)
