package import BackupFormats
package import JSONEvents
package import Rules

/// Reads a document's origin: its version and creation date.
package struct OriginReader {
  private var versionPath: PointerPath?
  private var createdAtPath: PointerPath?
  private let createdAtFormat: StringFormat?
  private let policy: BackupFormat.VersionPolicy?
  package private(set) var version: String?
  /// The version, interpreted by the format's policy.
  package private(set) var declaredVersion = FormatVersion.absent
  package private(set) var createdAt: Instant?

  package init(_ format: BackupFormat?) {
    policy = format?.version
    versionPath = (format?.version?.pointer.pointerTokens).map(PointerPath.init)
    let createdAtTokens = format?.origin.createdAt?.pointerTokens
    createdAtPath = createdAtTokens.map(PointerPath.init)
    createdAtFormat = createdAtTokens.flatMap { format?.rules.dateFormat(at: $0) }
  }

  package mutating func take(_ event: Event, of batch: EventBatch) {
    if let count = versionPath?.follow(event, of: batch), count == versionPath?.tokens.count {
      take(version: event, of: batch)
    }
    if let count = createdAtPath?.follow(event, of: batch), count == createdAtPath?.tokens.count, let format = createdAtFormat,
      event.kind == (format.appliesToNumbers ? .number : .string)
    {
      createdAt = format.instant(batch.text(of: event))
    }
  }

  private mutating func take(version event: Event, of batch: EventBatch) {
    let kind = Inspection.ValueKind(event.kind)
    if kind == .number || kind == .string { version = batch.text(of: event).prefix(64).string }
    if let policy { declaredVersion = FormatVersion(kind, batch.text(of: event), by: policy) }
  }
}
