public import ByteStreams
public import JSONEvents

/// Options for comparing or merging two backups. The result doesn't depend on the threads and memory of ``execution``.
public struct ComparisonOptions: Sendable {
  /// The documents' syntax. If `nil`, the files' names decide.
  public var syntax: JSONSyntax?
  /// The key fields of collections, by JSON Pointer of the collection; they override the rules.
  ///
  /// Each field is a name, or a path of names. Without fields, the records are compared as whole values. A pointer that is an
  /// array in neither document and no collection of the rules is an error: `invalid-key`.
  public var keys: [String: [[String]]] = [:]
  /// The collections to compare or merge. If `nil`, whole documents are compared.
  public var only: CollectionSelection?
  /// The maximum number of changes of each kind per collection to keep in detail; all are counted.
  public var maximumChanges = 100
  public var limits = ReaderLimits()
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  package var slices: Slicer.Options? = Slicer.Options()

  public init() {}

  var pass: PassOptions { PassOptions(execution, limits: limits, slices: slices) }
}
