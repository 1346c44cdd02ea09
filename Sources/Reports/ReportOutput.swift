import ByteStreams
import Findings
import JSONEvents

/// The JSON text of a report while the report is encoded. It is drained to the sink in pieces of 64 KiB.
///
/// `Encoder` has no call that ends a container. A container therefore ends when the one around it gets its next member or item.
/// A value that encodes nothing becomes an empty object.
///
/// It isn't generic over its sink: the lookup of generic types took a fifth of the instructions.
final class ReportOutput {
  enum Container { case object, array }

  /// The place of one value, in `depth` containers.
  struct Slot {
    let depth: Int
    let number: Int
  }

  private var writer: JSONEventWriter
  private(set) var sink: any ByteSink
  /// The open containers, outermost first, each with the number of the slot that it fills.
  private var containers: [(kind: Container, slot: Int)] = []
  private var slotCount = 1
  /// True if the newest slot has no value yet.
  private var isVacant = true

  init(to sink: any ByteSink, _ layout: JSONEventWriter.Layout) {
    self.sink = sink
    writer = JSONEventWriter(layout: layout)
  }

  /// The place of the whole report.
  static var root: Slot { Slot(depth: 0, number: 1) }

  /// Returns the slot of an object's next member.
  func member(_ name: String, of object: Slot) -> Slot {
    endContainers(inside: object)
    writer.key(name)
    return addSlot()
  }

  /// Returns the slot of an array's next item.
  func item(of array: Slot) -> Slot {
    endContainers(inside: array)
    return addSlot()
  }

  /// Begins a container. Continues one that has already begun in this slot, because a value may ask for its container several times.
  func begin(_ kind: Container, in slot: Slot) {
    guard isVacant, slot.number == slotCount else {
      endContainers(inside: slot)
      return precondition(containers[slot.depth].kind == kind, "an object and an array as one value")
    }
    switch kind {
    case .object: writer.beginObject()
    case .array: writer.beginArray()
    }
    containers.append((kind, slot.number))
    isVacant = false
  }

  /// Writes a value that isn't a container.
  func scalar(in slot: Slot, _ write: (inout JSONEventWriter) -> Void) throws(CofferError) {
    precondition(isVacant && slot.number == slotCount, "two values as one member, or as the report")
    write(&writer)
    isVacant = false
    try writer.drainPrintable(to: &sink)
  }

  /// Ends the report and writes the rest of it.
  func finish() throws(CofferError) {
    fillVacancy()
    while !containers.isEmpty { endContainer() }
    writer.endLine()
    try writer.flushPrintable(to: &sink)
  }

  private func addSlot() -> Slot {
    slotCount += 1
    isVacant = true
    return Slot(depth: containers.count, number: slotCount)
  }

  /// Ends all containers that the slot's container contains.
  private func endContainers(inside slot: Slot) {
    precondition(
      containers.count > slot.depth && containers[slot.depth].slot == slot.number, "a container gets a value after its end")
    fillVacancy()
    while containers.count > slot.depth + 1 { endContainer() }
  }

  private func fillVacancy() {
    guard isVacant else { return }
    writer.beginObject()
    writer.endObject()
    isVacant = false
  }

  private func endContainer() {
    switch containers.removeLast().kind {
    case .object: writer.endObject()
    case .array: writer.endArray()
    }
  }
}

/// A report preceded by the name of the file it is about: `{"file": "export.json", …}`.
public struct NamedReport<Report: Encodable>: Encodable {
  public var file: String
  public var report: Report

  public init(_ report: Report, named file: String) {
    self.file = file
    self.report = report
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["file": file])
    try report.encode(to: encoder)
  }
}

/// A report on several files.
///
///     {"formatVersion": 1, "files": [{"file": "a.json", …}, {"file": "b.json", …}]}
public struct FileReports<Report> {
  public var files: [Report]

  public init(_ files: [Report]) { self.files = files }
}

extension FileReports: Encodable where Report: Encodable {}

extension FileReports: Decodable where Report: Decodable {}

extension FileReports: Sendable where Report: Sendable {}

extension FileReports: Equatable where Report: Equatable {}

extension JSONEventWriter {
  /// Drains the text like `drain`, but escapes characters that control a terminal.
  mutating func drainPrintable(to sink: inout some ByteSink) throws(CofferError) {
    var memory = MemorySink()
    try drain(to: &memory)
    // The buffer ends between tokens, so no character is split.
    if !memory.bytes.isEmpty { try sink.write(String(decoding: memory.bytes, as: UTF8.self).printableJSON) }
  }

  /// Flushes the text like `flush`, but escapes characters that control a terminal.
  mutating func flushPrintable(to sink: inout some ByteSink) throws(CofferError) {
    var memory = MemorySink()
    try flush(to: &memory)
    if !memory.bytes.isEmpty { try sink.write(String(decoding: memory.bytes, as: UTF8.self).printableJSON) }
  }
}
