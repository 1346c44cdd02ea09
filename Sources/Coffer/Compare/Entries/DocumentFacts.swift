import BackupFormats
import JSONEvents
import Rules

/// What is known of a document that was read, beside its entries.
struct DocumentFacts {
  /// By node: how many records it has.
  var counts: [Int]
  /// By node: the how-manieth it was to be closed; `nil` of one that isn't there.
  var closings: [Int?]
  /// The nodes that are arrays in it.
  var arrays: Set<Int>
  /// As the document spells it.
  var version: String?
  var createdAt: Instant?
  var bytes = 0
}

/// Finds what a document says of its origin.
struct OriginReader {
  private var versionPath: PointerPath?
  private var createdAtPath: PointerPath?
  private let createdAtFormat: StringFormat?
  private(set) var version: String?
  private(set) var createdAt: Instant?

  init(_ format: BackupFormat?) {
    versionPath = (format?.version?.pointer.pointerTokens).map(PointerPath.init)
    let createdAtTokens = format?.origin.createdAt?.pointerTokens
    createdAtPath = createdAtTokens.map(PointerPath.init)
    createdAtFormat = createdAtTokens.flatMap { format?.rules.dateFormat(at: $0) }
  }

  mutating func take(_ event: Event, of batch: EventBatch) {
    if let count = versionPath?.follow(event, of: batch), count == versionPath?.tokens.count,
      event.kind == .number || event.kind == .string
    {
      version = batch.text(of: event).prefix(64).string
    }
    if let count = createdAtPath?.follow(event, of: batch), count == createdAtPath?.tokens.count, let format = createdAtFormat,
      event.kind == (format.appliesToNumbers ? .number : .string)
    {
      createdAt = format.instant(batch.text(of: event))
    }
  }
}
