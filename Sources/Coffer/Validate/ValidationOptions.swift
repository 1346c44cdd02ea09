public import ByteStreams
import Findings
public import JSONEvents
import Platform
public import Rules

/// How documents are validated.
public struct ValidationOptions: Sendable {
  /// How many findings are kept in detail; all are counted.
  public var maximumFindings = 1000
  /// What `now` means in the rules: one clock for the whole run.
  public var now: Instant
  /// How the documents are written down; `nil`: as their names show (`JSONSyntax.init(ofFileNamed:compressions:)`).
  public var syntax: JSONSyntax?
  /// The collections whose records and references are judged; `nil`: all. What the others hold is proved well formed, and can be referred to; what
  /// stands in no collection is judged all the same.
  public var only: CollectionSelection?
  /// Leaves values of the document out of messages and findings.
  public var redacts = false
  /// What becomes of keys that their object has had before; each member is judged whatever is chosen.
  public var duplicateKeys = DuplicateKeys.warn
  public var limits = ReaderLimits()
  /// How many threads work, the caller's included: at least 1. Results never depend on it.
  ///
  /// Memory: twice as many slices of about 1 MiB may be under way; one whose record is larger takes up to 16 MiB.
  public var jobs = ValidationOptions.processorCount
  /// How many bytes a document's keys and waiting references may take; past that they go to a temporary file that has no name, in `TMPDIR` or /tmp.
  /// At least 1 MiB, or what is needed to write that file takes more.
  public var memoryLimit = 256 << 20
  /// Ends the validation early, with a `CancellationError`.
  public var cancellation: Cancellation?
  /// How collections are cut; `nil`: they are not. Results never depend on it.
  package var slices: Slicer.Options? = Slicer.Options()

  public init(now: Instant) { self.now = now }

  /// What becomes of keys that their object has had before: equal bytes, escapes resolved. For each there is a finding, `duplicate-key`.
  ///
  /// A key is compared with the first 1 048 576 different ones of its object (4096 in objects inside 8 or more other brackets).
  public enum DuplicateKeys: String, Sendable, CaseIterable {
    /// Nothing.
    case allow
    /// A warning.
    case warn
    /// An error: the document is not sound.
    case reject
  }

  var pass: PassOptions {
    var pass = PassOptions(jobs: jobs)
    pass.limits = limits
    pass.slices = slices
    pass.cancellation = cancellation
    return pass
  }

  /// How many processors this machine has.
  public static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

extension ValidationOptions.DuplicateKeys {
  /// How the findings are graded, if there are any.
  var severity: Severity? {
    switch self {
    case .allow: nil
    case .warn: .warning
    case .reject: .error
    }
  }
}
