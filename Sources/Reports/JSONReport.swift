public import ByteStreams
import Findings

/// Writes reports for programs: any `Encodable` value that encodes members, as one indented JSON document.
///
///     {"formatVersion": 1, "files": [{"file": "a.json", "format": "ev-charging-tracker", …}]}
///
/// Members occur in the order in which they are encoded. Later versions only add members. Characters that control a terminal
/// are escaped, and the document ends with a line break. Infinite numbers, and errors of the value's own, are programming errors.
///
/// Memory: about 128 KiB and the longest string, regardless of the number of findings.
public struct JSONReport: Sendable {
  private let hasVersion: Bool

  public init() { hasVersion = true }

  private init(hasVersion: Bool) { self.hasVersion = hasVersion }

  /// For documents in the formats of other programs, which have no `formatVersion`.
  static var foreign: JSONReport { JSONReport(hasVersion: false) }

  /// Returns the report as text.
  public func text(of report: some Encodable) -> String {
    var sink = MemorySink()
    do throws(CofferError) {
      try write(report, to: &sink)
    } catch {
      preconditionFailure("writing to memory can't fail")
    }
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  /// Writes the report while it is encoded.
  public func write<Sink: ByteSink>(_ report: some Encodable, to sink: inout Sink) throws(CofferError) {
    let output = ReportOutput(to: sink)
    defer { sink = output.sink as? Sink ?? sink }
    let encoder = ReportEncoder(output: output, slot: ReportOutput.root, codingPath: [])
    do {
      if hasVersion { try encoder.encode(["formatVersion": 1]) }
      try report.encode(to: encoder)
      try output.finish()
    } catch let error as CofferError {
      throw error
    } catch {
      preconditionFailure("the report can't be encoded: \(error)")
    }
  }
}
