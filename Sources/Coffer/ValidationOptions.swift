public import ByteStreams
public import JSONEvents
public import Rules

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How documents are validated.
public struct ValidationOptions: Sendable {
  /// How many findings are kept in detail; all are counted.
  public var maximumFindings = 1000
  /// What `now` means in the rules: one clock for the whole run.
  public var now: Instant
  /// Leaves values of the document out of messages and findings.
  public var redacts = false
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

  /// How many processors this machine has.
  public static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
