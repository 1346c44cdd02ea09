public import ByteStreams
public import JSONEvents
public import SystemPackage

/// How two backups are compared or merged. What comes of it never depends on ``jobs`` or ``memoryLimit``.
public struct ComparisonOptions: Sendable {
  /// How the documents are written down; `nil`: as their names show.
  public var syntax: JSONSyntax?
  /// The fields that tell a collection's records apart, by the collection's JSON Pointer; they go before what the rules say.
  ///
  /// Each field is a name, or the names that lead to it. None: the records are compared as whole values. A pointer to what is an array in neither document,
  /// and a collection in no rule, is an error: `invalid-key`.
  public var keys: [String: [[String]]] = [:]
  /// The collections that alone are compared or merged; `nil`: all of them, and what stands around them.
  public var only: CollectionSelection?
  /// How many changes of each kind in each collection are kept in detail; all are counted.
  public var maximumChanges = 100
  public var limits = ReaderLimits()
  /// How many threads work, the caller's included: at least 1.
  public var jobs = ValidationOptions.processorCount
  /// How many bytes the keys, digests and places of records may take; past that they go to a temporary file that has no name. At least 1 MiB.
  public var memoryLimit = 256 << 20
  /// The folder of temporary files: of the keys that find no room in memory, and of what can be read only once.
  public var temporaryFolder: FilePath
  /// Ends the run early, with a `CancellationError`.
  public var cancellation: Cancellation?
  /// How collections are cut; `nil`: they are not.
  package var slices: Slicer.Options? = Slicer.Options()

  public init() { temporaryFolder = SpillFile.defaultFolder }

  var pass: PassOptions {
    var pass = PassOptions(jobs: jobs)
    pass.limits = limits
    pass.slices = slices
    pass.cancellation = cancellation
    return pass
  }
}
