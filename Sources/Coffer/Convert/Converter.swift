public import ByteStreams
import JSONEvents
import LZ4Streams

/// Converts documents: to another layout, to JSON Lines, one collection of them, members sorted.
///
/// Numbers keep their digits, strings their escapes; nothing is checked but that the document is well formed.
///
/// For example:
///
///     var options = ConversionOptions()
///     options.layout = .lines
///     options.collection = "/expenses"
///     try Converter(options: options).convert(FileSource(path: "export.json"), to: &file)
///
/// Cost: one pass, on all threads; memory for some slices of 1 MiB, whatever the document's size.
public struct Converter: Sendable {
  private let options: ConversionOptions

  public init(options: ConversionOptions = ConversionOptions()) { self.options = options }

  /// Reads `source` to its end, and writes to `sink` as it goes.
  ///
  /// - Parameters:
  ///   - source: the document, or LZ4 data that holds it.
  ///   - sink: where the converted document goes.
  /// - Returns: how many bytes were read.
  /// - Throws: `JSONReadError`, `ByteStreamError`, `CollectionError`, `CancellationError`. What the sink has got by then is good for nothing.
  @discardableResult
  public func convert<Sink: ByteSink>(_ source: some ByteSource, to sink: inout Sink) throws -> Int {
    options.sortsKeys
      ? try run(ConversionConsumer<SortingFormatter, Sink>(options, to: sink), source, &sink)
      : try run(ConversionConsumer<PlainFormatter, Sink>(options, to: sink), source, &sink)
  }

  private func run<Formatter: EventFormatter & ~Copyable, Sink: ByteSink>(
    _ consumer: consuming ConversionConsumer<Formatter, Sink>, _ source: some ByteSource, _ sink: inout Sink
  ) throws -> Int {
    let source = try options.cancellation.watch { try LZ4Source.detecting(source) }
    var pass = DocumentPass(source, for: consumer, options: options.pass)
    defer { sink = pass.consumer.sink }
    try options.cancellation.watch { try pass.run() }
    return pass.bytesRead
  }
}

extension ConversionOptions {
  var pass: PassOptions {
    var pass = PassOptions(jobs: jobs)
    pass.syntax = syntax ?? .json
    pass.limits = limits
    pass.slices = slices
    pass.cancellation = cancellation
    return pass
  }
}

extension FormatLayout {
  init(_ layout: ConversionOptions.Layout) {
    switch layout {
    case .compact: self = .compact
    case .pretty(let indent): self = .pretty(indent: indent)
    case .lines: self = .lines
    }
  }
}
