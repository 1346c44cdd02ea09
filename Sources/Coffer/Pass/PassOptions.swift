import ByteStreams
import JSONEvents

/// How a document is passed over; the result never depends on it.
struct PassOptions: Sendable {
  var syntax = JSONSyntax.json
  var limits = ReaderLimits()
  var execution: Execution
  /// How collections are sliced; `nil`: they are not.
  var slices: Slicer.Options? = Slicer.Options()
  /// How the keys of an object are compared; `nil`: they are not.
  var keys: KeyComparison?
  /// The stack size of threads that work on slices; `nil`: they don't recurse.
  var stackSize: Int?

  init(_ execution: Execution) { self.execution = execution }
}
