import ByteStreams
import JSONEvents

/// Options for a pass over a document. The result never depends on them.
struct PassOptions: Sendable {
  var syntax = JSONSyntax.json
  var limits: ReaderLimits
  var execution: Execution
  /// How collections are sliced. If `nil`, they are not. Never affects the results.
  var slices: Slicer.Options?
  /// How an object's keys are compared. If `nil`, they are not.
  var keys: KeyComparison?
  /// The stack size of worker threads, or `nil` if they don't recurse.
  var stackSize: Int?

  init(_ execution: Execution, limits: ReaderLimits, slices: Slicer.Options?) {
    self.execution = execution
    self.limits = limits
    self.slices = slices
  }
}
