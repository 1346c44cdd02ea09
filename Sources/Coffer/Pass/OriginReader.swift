package import BackupFormats
package import JSONEvents
package import Rules

/// Reads a document's origin: its version and creation date.
package struct OriginReader {
  private enum Place { case version, createdAt }

  private let places: [Place]
  private var pointers: PointerTree
  private let createdAtFormat: StringFormat?
  private let policy: BackupFormat.VersionPolicy?
  package private(set) var version: String?
  /// The version, interpreted by the format's policy.
  package private(set) var declaredVersion = FormatVersion.absent
  package private(set) var createdAt: Instant?

  package init(_ format: BackupFormat?) {
    policy = format?.version
    let version = format?.version?.pointer.pointerTokens
    let createdAt = format?.origin.createdAt?.pointerTokens
    createdAtFormat = createdAt.flatMap { format?.rules.dateFormat(at: $0) }
    places = [version.map { _ in Place.version }, createdAt.map { _ in Place.createdAt }].compactMap(\.self)
    pointers = PointerTree([version, createdAt].compactMap(\.self))
  }

  package mutating func consume(_ event: Event, of batch: EventBatch) {
    for number in pointers.follow(event, of: batch) {
      switch places[number] {
      case .version: consume(version: event, of: batch)
      case .createdAt:
        guard let format = createdAtFormat, event.kind == (format.appliesToNumbers ? .number : .string) else { continue }
        createdAt = format.instant(batch.text(of: event))
      }
    }
  }

  private mutating func consume(version event: Event, of batch: EventBatch) {
    let kind = JSONKind(event.kind)
    if kind == .number || kind == .string { version = batch.text(of: event).prefix(64).string }
    if let policy { declaredVersion = FormatVersion(kind, batch.text(of: event), by: policy) }
  }
}
