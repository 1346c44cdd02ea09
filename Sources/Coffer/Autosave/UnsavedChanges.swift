/// Thrown by the closure of an ``Autosave`` that has saved all changes but these.
public struct UnsavedChanges: Error {
  /// The reasons, by the change's index.
  public let errors: [Int: any Error]

  public init(errors: [Int: any Error]) { self.errors = errors }
}

/// The keys of changes that an ``Autosave`` couldn't save, in their order. All others are saved.
///
/// They wait for the next attempts, unless the app corrects them with another change, or gives them up with
/// ``Autosave/discard(_:)``.
public struct UnsavedKeys<Key: Hashable & Sendable>: Error, CustomStringConvertible {
  public let errors: [(key: Key, error: any Error)]

  init(errors: [(Key, any Error)]) { self.errors = errors.map { (key: $0.0, error: $0.1) } }

  public var description: String { errors.map { "can't save \($0.key): \($0.error)" }.joined(separator: "; ") }
}
