import BackupFormats
public import ByteStreams
public import Findings
public import JSONEvents
public import Rules

/// Options for validating documents.
public struct ValidationOptions: Sendable {
  /// The maximum number of findings to keep in detail; all are counted.
  public var maximumFindings = 1000
  /// The most memory for their details, in bytes. A baseline adds 1 kB for each of its findings.
  public var findingMemory = FindingCollector.memoryLimit
  /// The current time for the rules, the same for the whole run.
  public var now: Instant
  /// The syntax. If `nil`, the document's name decides (`JSONSyntax.init(ofFileNamed:)`).
  public var syntax: JSONSyntax?
  /// The collections whose records and references are checked, or `nil` for all. In the others only the syntax is checked, but
  /// their records still resolve references. The rest of the document is always checked.
  public var only: CollectionSelection?
  /// Adds the ends of values, and the records that hold them, to findings. This reads a document with findings again, as far as
  /// the last one that is kept. Only files and memory can be read again.
  public var addsPlaces = false
  /// Adds to messages about keys the first record that has a duplicate key, the values of keys of several fields, and keys that differ
  /// from a dangling reference only in case, spaces or type. Implies ``addsPlaces``. This evaluates a document of up to 1 GiB with such
  /// findings again, as far as the last duplicate, or to its end if a reference dangles.
  public var explainsKeys = false
  static let largestExplained = 1 << 30
  /// The findings that are accepted: they don't make a document invalid. Implies ``addsPlaces``; a source that can be read only
  /// once is copied to a temporary file.
  public var baseline: Baseline?
  /// True if the caller runs the format's checks in SQL (`BackupFormat.checks`). Otherwise a warning says that they were not run.
  public var runsSQLChecks = false
  /// Leaves values of the document out of messages and findings.
  public var redacts = false
  /// How to treat duplicate keys in an object. Every member is always checked.
  public var duplicateKeys = DuplicateKeys.warn
  public var limits = ReaderLimits()
  /// The number of errors whose places are kept, even if their details aren't: 8 bytes for each.
  package var errorLimit = 0
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  package var slices: Slicer.Options? = Slicer.Options()
  /// The key of the hashes of records' keys. If `nil`, it is the process's random one.
  package var digestKey: SipHash128.Key?

  public init(now: Instant) { self.now = now }

  /// The number of findings to keep until they are compared with the baseline.
  var keptFindings: Int { maximumFindings.saturatingSum(baseline?.count ?? 0) }

  /// Keeps all findings that a baseline can have.
  package mutating func keepAllFindings() {
    maximumFindings = Baseline.limit
    findingMemory = Baseline.limit << 10
  }

  /// How to treat duplicate keys in an object: keys with equal bytes after escapes are resolved. Each one is a finding,
  /// `duplicate-key`.
  ///
  /// A key is compared with the first 1 048 576 distinct keys of its object (4096 in objects nested inside 8 or more brackets).
  public enum DuplicateKeys: String, Sendable, CaseIterable, Codable {
    /// No finding.
    case allow
    /// A warning.
    case warn
    /// An error: the document is not valid.
    case reject
  }

  var pass: PassOptions { PassOptions(limits: limits, execution: execution, slices: slices) }

  /// The options for evaluating a document.
  func evaluation(of format: BackupFormat?, in container: BackupFormat.Container) -> EvaluationOptions {
    var evaluation = EvaluationOptions(now: now, key: digestKey ?? .ofProcess)
    evaluation.maximumFindings = keptFindings
    evaluation.findingMemory = findingMemory + (baseline?.count ?? 0) << 10
    evaluation.offsetLimit = errorLimit
    evaluation.gathersEntries = container == .zip
    evaluation.versionIfAbsent = (format?.version?.ifAbsent[container]).map(Int64.init)
    evaluation.redacts = redacts
    evaluation.memoryLimit = execution.memoryLimit
    evaluation.temporaryFolder = execution.temporaryFolder
    evaluation.duplicateKeys = duplicateKeys.severity
    evaluation.limits = limits
    evaluation.progress = execution.progress
    return evaluation
  }
}

extension ValidationOptions.DuplicateKeys {
  /// The severity of `duplicate-key` findings, or `nil` if duplicates are allowed.
  var severity: Severity? {
    switch self {
    case .allow: nil
    case .warn: .warning
    case .reject: .error
    }
  }
}

extension Int {
  /// The sum with a number from 0, or the largest number.
  func saturatingSum(_ other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}
