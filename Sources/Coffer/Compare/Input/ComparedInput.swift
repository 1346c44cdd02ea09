import BackupFormats
import ByteStreams
import CompressedStreams
import JSONEvents
import SystemPackage

/// A backup that is read more than once: its document from the start, and parts of it from any place.
///
/// Files are read in place. Streams are kept in a temporary file, and so is the content of a compressed file, if parts are
/// needed.
final class ComparedInput {
  let name: String
  let syntax: JSONSyntax
  private var stored: StoredBytes
  private var isCompressed: Bool
  private let options: ComparisonOptions
  private var expanded: StoredBytes?

  /// - Parameter reading: the reading of a backup that can be read only once.
  init(_ backup: Backup, reading: BackupReading? = nil, options: ComparisonOptions) throws {
    name = backup.name
    syntax = options.syntax ?? backup.syntax
    self.options = options
    do {
      let reading = try reading ?? backup.reading(cancellation: options.execution.cancellation ?? Cancellation())
      stored = try StoredBytes.storing(reading.source(), named: backup.name, options.execution)
      let opened = try OpenedBackup(StoredSource(stored), named: name, options.execution.unmetered)
      if opened.isArchive { throw CofferError(.zipArchive, OpenedBackup.archiveRefusal(of: name)) }
      isCompressed = opened.compression != nil
    } catch let error as CofferError {
      if error.code == .cancelled { throw CancellationError() }
      throw error.inDocument(backup.name)
    }
  }

  /// Finds the rules for the document. An empty file is treated as the document that its format defines for it.
  func identify(rules: RuleSource) throws -> IdentifiedDocument.Identity {
    let document = try reading { try IdentifiedDocument(OpenedDocument(source(), named: name), rules: rules, syntax: syntax) }
    if let text = document.emptyDocumentSubstitute {
      stored = StoredBytes(Array(text.utf8), named: name)
      isCompressed = false
    }
    return document.identity
  }

  /// Returns the number of bytes that the progress counts if the document is read this many times.
  func byteCount(ofPasses passes: Int) -> Int { stored.byteCount(ofPasses: passes) }

  /// Returns the document, from its start.
  func source() throws(CofferError) -> any ByteSource {
    try Decompression(StoredSource(stored), limits: options.execution.expansion).source
  }

  /// Returns the backup for passes that open it themselves.
  func opened() throws -> OpenedBackup {
    OpenedBackup(named: name, options.execution.unmetered) { try self.source() }
  }

  /// Returns the document's first bytes.
  func prefix(_ length: Int) throws -> [UInt8] {
    try reading {
      var source = try source()
      return try source.readPrefix(length)
    }
  }

  /// Returns the document's layout, detected from its first line: an indented document has a line break after the first bracket.
  func layout() throws -> FormatLayout {
    if try syntax != .json || JSONSyntax.isSequence(prefix(JSONSyntax.prefixSize)) { return .lines }
    let (tab, lineFeed, blank) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: " "))
    let text = try prefix(1024).drop { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "[") }.dropFirst()
    let rest = text.drop { $0 == blank || $0 == tab || $0 == UInt8(ascii: "\r") }
    guard rest.first == lineFeed else { return .compact }
    let indentation = rest.dropFirst().prefix { $0 == blank || $0 == tab }
    return .pretty(indent: indentation.contains(tab) ? 2 : min(indentation.count, 16))
  }

  /// Returns the document, readable from any place.
  func document() throws -> StoredBytes {
    guard isCompressed else { return stored }
    if let expanded { return expanded }
    let copy = try reading {
      try StoredBytes.storing(source(), named: name, options.execution.unmetered)
    }
    expanded = copy
    return copy
  }

  /// Returns the texts at places in ascending order; each is truncated to `limit` bytes.
  func texts(at ranges: [Range<Int>], limit: Int) throws -> [[UInt8]] {
    try reading {
      guard isCompressed else {
        return try ranges.map { range in
          var source = StoredSource(stored, range)
          return try source.readPrefix(min(range.count, limit))
        }
      }
      // Decompress it again: the texts are few, and the document may be large.
      var source = try source()
      var position = 0
      var texts: [[UInt8]] = []
      for range in ranges {
        while position < range.lowerBound {
          let skipped = try source.readPrefix(min(1 << 16, range.lowerBound - position)).count
          if skipped == 0 { break }
          position += skipped
        }
        let text = try source.readPrefix(min(range.count, limit))
        position += text.count
        texts.append(text)
      }
      return texts
    }
  }

  /// Returns the line and column of a place, for which the document is read again.
  func position(at offset: Int) -> TextPosition {
    let found = try? TextPosition(of: offset, in: source())
    return found ?? TextPosition(offset: offset, line: 1, column: 1)
  }

  func pass<Consumer: DocumentConsumer & ~Copyable>(
    _ consumer: consuming Consumer, isMetered: Bool = true
  ) throws -> DocumentPass<Consumer> {
    var passOptions = options.pass
    passOptions.syntax = syntax
    if !isMetered { passOptions.execution.progress = nil }
    return DocumentPass(try source(), for: consumer, options: passOptions)
  }

  /// Reads the document to its end, only to detect errors.
  func checkWellFormed() throws {
    try reading {
      var pass = try pass(SyntaxCheck(limits: options.limits), isMetered: false)
      try pass.run()
    }
  }

  /// Runs `body`, and adds the input's name to its errors.
  func reading<R>(_ body: () throws -> R) throws -> R {
    do {
      let result = try options.execution.cancellation.watch(body)
      try stored.checkUnchanged()
      return result
    } catch let error as CofferError {
      throw error.inDocument(name)
    }
  }
}
