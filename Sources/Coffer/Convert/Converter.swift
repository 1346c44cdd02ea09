public import BackupFormats
public import ByteStreams
public import CompressedStreams
import Findings
public import JSONEvents

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
    let filter = try options.only.map { selection in
      let rules = options.rules ?? .detected(.builtIn)
      return try options.execution.cancellation.watch {
        try CollectionFilter(selection, rules: rules, of: &source, options.pass.syntax)
      }
    }
    let (bytesRead, choice) =
      options.sortsKeys
      ? try run(ConversionConsumer<SortingFormatter, Sink>(options, filter, to: sink), source, &sink)
      : try run(ConversionConsumer<PlainFormatter, Sink>(options, filter, to: sink), source, &sink)
    return Conversion(bytesRead: bytesRead, choice: choice, danglingReferences: filter?.danglingReferences ?? [])
  }

  private func run<Formatter: EventFormatter & ~Copyable, Sink: ByteSink>(
    _ consumer: consuming ConversionConsumer<Formatter, Sink>, _ source: any ByteSource, _ sink: inout Sink
  ) throws -> (bytesRead: Int, choice: CollectionChoice?) {
    var pass = DocumentPass(source, for: consumer, options: options.pass)
    defer { sink = pass.consumer.sink }
    try options.execution.cancellation.watch { try pass.run() }
    return (pass.bytesRead, pass.consumer.choice)
  }
}

extension ConversionOptions {
  var pass: PassOptions {
    var pass = PassOptions(limits: limits, execution: execution, slices: slices)
    pass.syntax = syntax ?? .json
    return pass
  }
}

extension FormatLayout {
  /// The layout of an app's encoder.
  public static func prettyAs(_ encoder: BackupFormat.Encoder) -> FormatLayout { encoder == .apple ? .apple : .kotlin }
}

/// Options for converting a document.
public struct ConversionOptions: Sendable {
  /// The document's syntax. If `nil`, the document's name decides; without a name, it is JSON.
  public var syntax: JSONSyntax?
  /// The layout of the output.
  public var layout = FormatLayout.compact
  /// Sorts the members of every object by their names' Unicode code points; equal names keep their order.
  ///
  /// Objects of more than 8 MiB are sorted in a temporary file, in `TMPDIR` or /tmp. If such an object has more than 1 048 576
  /// members, or 32 MiB of names with those of the objects around it, the error is `sortLimit`.
  public var sortsKeys = false
  /// The JSON Pointer of the only collection to write: an array or an object. If `nil`, the whole document is written; for JSON
  /// Lines, it must be an array. As lines, each member of an object is an object of its own: `{"d0": {…}}`.
  public var collection: String?
  /// The collections to keep, or `nil` for all. The others become empty, and their declared counts 0 (`countOf`). Can't be
  /// combined with `collection` or lines.
  public var only: CollectionSelection?
  /// The rules that locate a document's collections, for `only`; for an unknown format, these are the root's arrays. If `nil`,
  /// the built-in formats.
  public var rules: RuleSource?
  /// The output's compression. If `nil`, the file's name decides: it may end in `.lz4`, `.gz` or `.zst`.
  public var compression: Compression?
  public var limits = ReaderLimits()
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  package var slices: Slicer.Options? = Slicer.Options()

  public init() {}
}

/// The result of a conversion.
public struct Conversion: Sendable {
  /// The number of uncompressed bytes read from the document.
  public let bytesRead: Int
  /// The kept and left-out collections, if only some were selected; for a document of unknown format, its arrays, at most 1024 of
  /// them.
  public let choice: CollectionChoice?
  /// The references from kept collections to left-out ones.
  public let danglingReferences: [DanglingReference]
}

/// The conversion in a report: `{"bytes": 1048576, "leftOut": ["cars"], "danglingReferences": ["expenses.carId refers to …"]}`.
extension Conversion: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "bytes": bytesRead, "leftOut": choice?.leftOutTitles ?? [], "danglingReferences": danglingReferences.map(\.description),
    ])
  }
}
