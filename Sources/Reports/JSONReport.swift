public import ByteStreams
import Findings
import JSONEvents

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
  private let layout: JSONEventWriter.Layout

  public init() { self.init(hasVersion: true) }

  private init(hasVersion: Bool, layout: JSONEventWriter.Layout = .pretty(indent: 2)) {
    self.hasVersion = hasVersion
    self.layout = layout
  }

  /// For documents in the formats of other programs, which have no `formatVersion`.
  static var foreign: JSONReport { JSONReport(hasVersion: false) }

  /// For a line of JSON Lines.
  package static var line: JSONReport { JSONReport(hasVersion: false, layout: .compact) }

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
    let output = ReportOutput(to: sink, layout)
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

/// Encodes one value of a report. Members are written in the order in which they are encoded, without being kept in memory.
///
/// Several values may be encoded into one object: `try finding.place.encode(to: encoder)` adds the place's members.
///
/// Members and items must be encoded in document order: after the next member of an object, a nested container of the previous
/// one takes no more values. Infinite numbers and more than 127 levels can't be written. All three are programming errors.
final class ReportEncoder: Encoder, SingleValueEncodingContainer {
  let output: ReportOutput
  let slot: ReportOutput.Slot
  let codingPath: [any CodingKey]

  init(output: ReportOutput, slot: ReportOutput.Slot, codingPath: [any CodingKey]) {
    self.output = output
    self.slot = slot
    self.codingPath = codingPath
  }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    output.begin(.object, in: slot)
    return KeyedEncodingContainer(ReportObject(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    output.begin(.array, in: slot)
    return ReportArray(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws { try output.scalar(in: slot) { $0.null() } }
  func encode(_ value: Bool) throws { try output.scalar(in: slot) { $0.boolean(value) } }
  func encode(_ value: String) throws { try output.scalar(in: slot) { $0.string(value) } }

  func encode(_ value: some Encodable & Numeric & CustomStringConvertible) throws {
    try output.scalar(in: slot) { $0.number(text: value.description) }
  }

  func encode(_ value: some Encodable) throws { try value.encode(to: self) }

  fileprivate func nested(in slot: ReportOutput.Slot, _ key: any CodingKey) -> ReportEncoder {
    ReportEncoder(output: output, slot: slot, codingPath: codingPath + [key])
  }
}

private struct ReportObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ReportEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func member(_ key: some CodingKey) -> ReportEncoder {
    encoder.nested(in: encoder.output.member(key.stringValue, of: encoder.slot), key)
  }

  func encodeNil(forKey key: Key) throws { try member(key).encodeNil() }
  func encode(_ value: some Encodable, forKey key: Key) throws { try member(key).encode(value) }

  // Most members are strings and integers: these need no encoder.
  func encode(_ value: String, forKey key: Key) throws { try scalar(key) { $0.string(value) } }
  func encode(_ value: Int, forKey key: Key) throws { try scalar(key) { $0.integer(Int64(value)) } }

  private func scalar(_ key: Key, _ write: (inout JSONEventWriter) -> Void) throws {
    try encoder.output.scalar(in: encoder.output.member(key.stringValue, of: encoder.slot), write)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { member(ReportKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

private struct ReportArray: UnkeyedEncodingContainer {
  let encoder: ReportEncoder
  private(set) var count = 0
  var codingPath: [any CodingKey] { encoder.codingPath }

  init(encoder: ReportEncoder) { self.encoder = encoder }

  private mutating func item() -> ReportEncoder {
    count += 1
    return encoder.nested(in: encoder.output.item(of: encoder.slot), ReportKey(intValue: count - 1))
  }

  mutating func encodeNil() throws { try item().encodeNil() }
  mutating func encode(_ value: some Encodable) throws { try item().encode(value) }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    item().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { item().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { item() }
}
