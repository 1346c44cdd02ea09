import BackupFormats
import ByteStreams
import JSONEvents
import Rules

/// Makes a side document agree with the archive's document: for example, on the number of photos after some were added.
///
/// Everything else is kept, such as the app's name and unknown members. A document that already agrees is copied byte for byte;
/// any other is rewritten, with its numbers' original text.
struct SideDocumentUpdate {
  private let side: SideDocument
  /// The values of the archive's document, in the order of the agreements.
  private let values: [WatchedValue]

  init(_ side: SideDocument, _ values: [WatchedValue]) {
    self.side = side
    self.values = values
  }

  /// - Throws: `CofferError` if the side document isn't JSON.
  func updated(_ bytes: [UInt8]) throws -> [UInt8] {
    var limits = ReaderLimits()
    limits.depth = JSONValue.depthLimit
    var root = try JSONValue.read(MemorySource(bytes), limits: limits)
    var isChanged = false
    for (agreement, watched) in zip(side.agreements, values) {
      guard let value = watched.value, let tokens = agreement.pointer.pointerTokens else { continue }
      root.update(at: tokens[...]) { old in
        if watched.agrees(with: old) { return }
        old = value
        isChanged = true
      }
    }
    return isChanged ? Array((root.text + "\n").utf8) : bytes
  }
}

extension JSONValue.Located {
  /// Changes the value at a place. Doesn't add a missing value: the rules report it.
  fileprivate mutating func update(at tokens: ArraySlice<String>, _ change: (inout JSONValue) -> Void) {
    guard let token = tokens.first else { return change(&value) }
    guard case .object(var members) = value, let index = members.lastIndex(where: { $0.key == token }) else { return }
    members[index].value.update(at: tokens.dropFirst(), change)
    value = .object(members)
  }
}

extension WatchedValue {
  /// `nil` for arrays and objects, whose content isn't known.
  fileprivate var value: JSONValue? {
    switch self {
    case .absent, .null: .null
    case .boolean(let value): .boolean(value)
    case .number(let text): .number(text)
    case .string(let text): .string(text)
    case .container: nil
    }
  }
}
