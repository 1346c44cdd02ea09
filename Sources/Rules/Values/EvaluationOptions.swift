package import ByteStreams
package import Findings
package import JSONEvents
package import SystemPackage

/// How a document is evaluated. Only the findings, not their counts, depend on it.
package struct EvaluationOptions: Sendable {
  /// The most findings to keep in detail.
  package var maximumFindings = 1000
  /// The most memory for their details, in bytes.
  package var findingMemory = FindingCollector.memoryLimit
  /// The number of errors whose offsets are kept, even if their details aren't: 8 bytes for each.
  package var offsetLimit = 0
  /// The value of `now` in bounds.
  package var now: Instant
  /// Leaves values out of messages and findings.
  package var redacts = false
  /// Scatters keys and makes digests unpredictable; results don't depend on it.
  package var key: SipHash128.Key
  /// The memory limit for keys and waiting references, in bytes.
  package var memoryLimit = 256 << 20
  /// The severity of duplicate keys in an object. If `nil`, they are not detected.
  package var duplicateKeys: Severity?
  /// Records the document's claims about its container's entries.
  package var gathersEntries = false
  /// The version of a document that declares none.
  package var versionIfAbsent: Int64?
  /// Adds the values of keys of several fields to the log: see `KeySearch`.
  var logsKeyParts = false
  /// The most steps that the document's bytes don't pay for: see `StepBudget`.
  package var stepLimit = StepBudget.limit
  /// The limits of a document's readers.
  package var limits = ReaderLimits()
  /// Says when references are checked.
  package var progress: WorkProgress?
  /// The folder for the spill file.
  package var temporaryFolder: FilePath = SpillFile.defaultFolder

  package init(now: Instant, key: SipHash128.Key) {
    self.now = now
    self.key = key
  }

  /// How a document's readers compare its keys.
  package var keyComparison: KeyComparison? {
    duplicateKeys.map { _ in KeyComparison(low: key.low, high: key.high) }
  }
}
