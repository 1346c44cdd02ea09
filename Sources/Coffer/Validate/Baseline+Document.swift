public import ByteStreams
public import Findings
import JSONEvents
import Rules

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Baseline {
  private static let rules = """
    {
      "type": "object", "required": ["formatVersion", "findings"],
      "properties": {
        "formatVersion": {"const": 1, "errorMessage": "this version of coffer reads only baselines with format version 1"},
        "findings": {
          "type": "array", "maxItems": \(limit),
          "items": {
            "type": "object", "required": ["code", "pointer"],
            "properties": {
              "code": {"type": "string"}, "entry": {"type": "string"}, "collection": {"type": "string"},
              "key": {"type": "string"}, "pointer": {"pattern": "^(/|$)"}, "reason": {"type": "string"},
              "count": {"type": "integer", "minimum": 1, "maximum": \(limit)}
            }
          }
        }
      }
    }
    """

  /// Reads a baseline. Memory: about three times its size.
  ///
  /// - Throws: `CofferError` if it can't be read or isn't a baseline, with the place; `CancellationError`.
  public init(_ source: some ByteSource, execution: Execution = Execution()) throws {
    let file = (source as? FileSource).flatMap { StoredBytes($0) }
    if let file, file.byteCount > CappedSource.limit { throw CappedSource.excess }
    let stored = try file ?? .storing(CappedSource(source), named: "the baseline", execution)
    var options = ValidationOptions(now: .now)
    options.execution = execution
    options.maximumFindings = 1
    let rules = try RuleDocument(MemorySource(Self.rules.utf8))
    let report = try Validator(.document(rules, name: "baseline"), options: options)
      .validate(StoredSource(stored), named: "baseline.json")
    if let error = report.error { throw error }
    if let finding = report.findings.first {
      let place = finding.place
      throw CofferError(
        .decoding, "not a baseline: \(finding.message)",
        at: .init(pointer: place.pointer, position: place.position))
    }
    var entries: [Entry] = []
    let decoding = RecordDecoding<Entry>(decoder: JSONDecoder(), pointer: "/findings", limits: options.limits)
    let consumer = RecordConsumer(decoding, at: try CollectionPath("/findings")) {
      entries += $0
      return true
    }
    var pass = DocumentPass(try StoredSource(stored).document(options.execution.unmetered), for: consumer, options: options.pass)
    try pass.run()
    self.init(entries)
  }

  /// Writes the baseline, a line for each entry. Control characters and those that change the text's direction are escaped.
  public func write(to sink: inout some ByteSink) throws(CofferError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try sink.write("{\n  \"formatVersion\": 1,\n  \"findings\": [")
    for (index, entry) in entries.enumerated() {
      guard let line = try? encoder.encode(entry) else { preconditionFailure("strings and numbers can be encoded") }
      try sink.write((index == 0 ? "\n    " : ",\n    ") + String(decoding: line, as: UTF8.self).printableJSON)
    }
    try sink.write(entries.isEmpty ? "]\n}\n" : "\n  ]\n}\n")
  }
}

/// A baseline's bytes. A device may have no end.
private struct CappedSource: ByteSource {
  static let limit = 1 << 30
  static let excess = CofferError(.sizeLimit, "the baseline is larger than the limit of 1 GiB")

  private var source: any ByteSource
  private var count = 0

  init(_ source: any ByteSource) { self.source = source }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let added = try source.read(into: buffer)
    count += added
    if count > Self.limit { throw Self.excess }
    return added
  }
}
