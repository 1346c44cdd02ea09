import BackupFormats
import Coffer
import GRDB
import JSONEvents
import Rules

/// Changes the origin and the record counts that a document states in its root members.
struct OriginEdit {
  /// The new values with their paths in the member, by member name.
  private var values: [String: [(path: [String], value: JSONValue, isAdded: Bool)]] = [:]

  /// - Parameter counts: the number of records that each collection will have, by JSON Pointer.
  init(_ format: BackupFormat, _ options: DatabaseExportOptions, counts: [String: Int]) {
    if let instant = options.createdAt, let pointer = format.origin.createdAt, let tokens = pointer.pointerTokens {
      for (path, isCopy) in Self.places(tokens, format) {
        let style = format.rules.dateFormat(at: path) ?? .dateTime
        if let value = style.value(of: instant) { add(value, at: path, isAdded: !isCopy) }
      }
    }
    if let instant = options.backedUpAt, let tokens = format.origin.lastBackup?.pointerTokens,
      let value = (format.rules.dateFormat(at: tokens) ?? .dateTime).value(of: instant)
    {
      add(value, at: tokens, isAdded: false)
    }
    for (text, pointer) in [(options.app, format.origin.app), (options.device, format.origin.device)] {
      guard let text, let tokens = pointer?.pointerTokens else { continue }
      for (path, isCopy) in Self.places(tokens, format) { add(.string(text), at: path, isAdded: !isCopy) }
    }
    for declared in format.rules.declaredCounts {
      guard let count = counts[declared.collection.pointer] else { continue }
      add(.number(String(count)), at: declared.path, isAdded: false)
    }
  }

  /// Returns the paths of a value and of its copies that the rules declare.
  private static func places(_ tokens: [String], _ format: BackupFormat) -> [(path: [String], isCopy: Bool)] {
    [(tokens, false)] + format.rules.declaredCopies.filter { $0.original == tokens }.map { ($0.path, true) }
  }

  private mutating func add(_ value: JSONValue, at tokens: [String], isAdded: Bool) {
    guard let member = tokens.first, !tokens.contains("*") else { return }
    values[member, default: []].append((Array(tokens.dropFirst()), value, isAdded))
  }

  /// Returns the members to add because they are missing.
  func added(to names: Set<String?>) -> [(name: String, value: [UInt8])] {
    values.sorted { $0.key < $1.key }.compactMap { name, changes in
      let added = changes.filter(\.isAdded)
      guard !names.contains(name), !added.isEmpty else { return nil }
      return (name, edited(name, Array("{}".utf8)))
    }
  }

  /// Returns a member's value with the changes.
  func edited(_ name: String?, _ bytes: [UInt8]) -> [UInt8] {
    guard let name, let changes = values[name] else { return bytes }
    var text = EditableJSON(bytes)
    for change in changes {
      if change.path.isEmpty {
        text = EditableJSON(change.value.compactBytes)
      } else if change.isAdded || text.has(change.path) {
        text.set(change.value, at: change.path)
      }
    }
    return text.bytes
  }
}

extension JSONValue {
  fileprivate var compactBytes: [UInt8] {
    switch self {
    case .string(let text): ByteBuffer.quoted(text)
    case .number(let text): Array(text.utf8)
    case .boolean(let value): Array((value ? "true" : "false").utf8)
    case .null, .array, .object: Array("null".utf8)
    }
  }
}

extension StringFormat {
  /// Returns an instant in this format, in whole seconds, or `nil` if the format can't represent it.
  fileprivate func value(of instant: Instant) -> JSONValue? {
    switch self {
    case .dateTime, .dateTimeSeconds, .appleDateTime: .string(Instant(seconds: instant.seconds).description)
    case .date: .string(String(instant.description.prefix(10)))
    case .unixTime: .number(String(instant.seconds))
    case .unixTimeMilliseconds: Self.number(instant.seconds.multipliedReportingOverflow(by: 1000))
    case .appleReferenceTime: Self.number(instant.seconds.subtractingReportingOverflow(978_307_200))
    default: nil
    }
  }

  private static func number(_ result: (partialValue: Int64, overflow: Bool)) -> JSONValue? {
    result.overflow ? nil : .number(String(result.partialValue))
  }
}
