import BackupFormats
public import ByteStreams
import JSONEvents

/// Converts documents: changes the layout, writes JSON Lines, extracts a collection, sorts members.
///
/// Numbers keep their digits, strings their escapes. The document is only checked for well-formedness.
///
/// For example:
///
///     var options = ConversionOptions()
///     options.layout = .lines
///     options.collection = "/expenses"
///     try Converter(options: options).convert(FileSource(path: "export.json"), to: &file)
///
/// Cost: one pass, on all threads. Memory: a few slices of 1 MiB, regardless of the document's size.
public struct Converter: Sendable {
  private let options: ConversionOptions

  public init(options: ConversionOptions = ConversionOptions()) { self.options = options }

  /// Converts a document: reads `source` to its end, and writes to `sink` meanwhile.
  ///
  /// - Parameters:
  ///   - source: the document, possibly compressed.
  ///   - sink: receives the converted document.
  /// - Returns: the number of bytes read, and the collections left out.
  /// - Throws: `CofferError`, with the code `zipArchive` for a ZIP; `CancellationError`.
  ///   After an error, discard the sink's content.
  @discardableResult
  public func convert<Sink: ByteSink>(_ source: some ByteSource, to sink: inout Sink) throws -> Conversion {
    if options.only != nil, options.collection != nil || options.layout == .lines {
      throw CofferError(
        .noCollections, "a single array has no collections to choose from")
    }
    var source = try options.execution.cancellation.watch { try source.document(options.execution) }
    let selective = try options.only.map { selection in
      let rules = options.rules ?? .detected(.builtIn)
      return try options.execution.cancellation.watch {
        try SelectiveConversion(selection, rules: rules, of: &source, options.pass.syntax)
      }
    }
    let (bytesRead, found) =
      options.sortsKeys
      ? try run(ConversionConsumer<SortingFormatter, Sink>(options, selective?.filter, to: sink), source, &sink)
      : try run(ConversionConsumer<PlainFormatter, Sink>(options, selective?.filter, to: sink), source, &sink)
    return Conversion(
      bytesRead: bytesRead, choice: selective?.choice ?? found, danglingReferences: selective?.danglingReferences ?? [])
  }

  /// Reads `source` to its end, only to find errors.
  ///
  /// - Throws: the errors of ``convert(_:to:)``.
  func checkWellFormed(_ source: some ByteSource) throws {
    var nowhere = NullSink()
    try convert(source, to: &nowhere)
  }

  /// Discards everything.
  private struct NullSink: ByteSink {
    func write(_ bytes: UnsafeRawBufferPointer) {}
  }

  private func run<Formatter: EventFormatter & ~Copyable, Sink: ByteSink>(
    _ consumer: consuming ConversionConsumer<Formatter, Sink>, _ source: any ByteSource, _ sink: inout Sink
  ) throws -> (bytesRead: Int, found: CollectionChoice?) {
    var pass = DocumentPass(source, for: consumer, options: options.pass)
    defer { sink = pass.consumer.sink }
    try options.execution.cancellation.watch { try pass.run() }
    return (pass.bytesRead, pass.consumer.foundChoice)
  }
}

extension ConversionOptions {
  var pass: PassOptions {
    var pass = PassOptions(execution, limits: limits, slices: slices)
    pass.syntax = syntax ?? .json
    return pass
  }
}

extension FormatLayout {
  init(_ layout: ConversionOptions.Layout) {
    switch layout {
    case .compact: self = .compact
    case .pretty(let indent): self = .pretty(indent: indent)
    case .prettyAs(.apple): self = .apple
    case .prettyAs(.kotlin): self = .kotlin
    case .lines: self = .lines
    }
  }
}
