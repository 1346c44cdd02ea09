import BackupFormats
import JSONEvents

/// Finds the array that a JSON Pointer names, and its records, among a document's events.
struct CollectionPath {
  /// The relation of an event to the records.
  enum Role {
    /// The event is elsewhere.
    case outside
    /// A bracket of the records' array.
    case bracket
    /// Part of a record: its first event, its last, both or none of them.
    case record(isFirst: Bool, isLast: Bool)
  }

  let pointer: String
  private var path: PointerPath
  /// The number of open brackets around a record, after the array was reached.
  private(set) var recordDepth: Int?
  /// True if the array was read to its end.
  private var isComplete = false
  /// The end of the path's longest match, and the kind of value there: for the error message.
  private var furthest: (count: Int, kind: Event.Kind) = (0, .null)

  /// - Throws: `CofferError` if `pointer` is not a JSON Pointer.
  init(_ pointer: String) throws(CofferError) {
    guard let tokens = pointer.pointerTokens else {
      throw CofferError(
        .invalidPointer,
        "'\(pointer)' is not a JSON Pointer; examples are '/expenses', and '' for the root")
    }
    self.pointer = pointer
    path = PointerPath(tokens)
  }

  /// The relation of an array to the records.
  enum Relation { case holdsRecords, holdsNone, mayLeadToThem }

  /// The relation of the innermost open array to the records, between two of its items.
  var relation: Relation {
    if isComplete { return .holdsNone }
    guard let recordDepth else { return path.depth > path.matchedDepth ? .holdsNone : .mayLeadToThem }
    return recordDepth == path.depth ? .holdsRecords : .mayLeadToThem
  }

  mutating func role(of event: Event, in batch: EventBatch) throws(CofferError) -> Role {
    let outerDepth = path.depth
    let matched = path.follow(event, of: batch)
    if let recordDepth, !isComplete {
      isComplete = path.depth < recordDepth
      return isComplete ? .bracket : .record(isFirst: outerDepth == recordDepth, isLast: path.depth == recordDepth)
    }
    guard let matched else { return .outside }
    if isComplete {
      // Choosing either of the two would silently lose the other's records.
      guard matched < path.tokens.count else {
        throw CofferError(.ambiguousValue, "the document has \(Self.name(of: pointer)) twice")
      }
      return .outside
    }
    furthest = (matched, event.kind)
    if matched == path.tokens.count {
      guard event.kind == .arrayStart else {
        throw CofferError(
          .notAnArray,
          "\(Self.name(of: pointer)) is \(Inspection.ValueKind(event.kind).phrase), not an array")
      }
      recordDepth = path.depth
      return .bracket
    }
    return .outside
  }

  /// Called at the document's end. Throws if the array was not found.
  func finish() throws(CofferError) {
    if isComplete { return }
    let parent = Self.name(of: path.tokens.prefix(furthest.count).map { "/" + $0.pointerToken }.joined())
    let missing = furthest.count < path.tokens.count ? path.tokens[furthest.count] : ""
    let message =
      switch furthest.kind {
      case .arrayStart: "\(parent) has no item \(missing)"
      case .objectStart: "\(parent) has no member '\(missing)'"
      default: "\(parent) is \(Inspection.ValueKind(furthest.kind).phrase), which has no member '\(missing)'"
      }
    throw CofferError(.noSuchValue, message)
  }

  private static func name(of pointer: String) -> String { pointer.isEmpty ? "the document" : pointer }
}
