package import JSONEvents

/// Evaluates slices of one collection, one after another, each as if it were the first. There is one evaluator per thread.
package final class SliceEvaluator {
  private var evaluator: RuleEvaluator
  private let context: CollectionContext
  private let limits: ReaderLimits

  package init(_ program: RuleProgram, options: RuleEvaluator.Options, context: CollectionContext, limits: ReaderLimits) {
    evaluator = RuleEvaluator(program, options: options)
    self.context = context
    self.limits = limits
  }

  /// Returns the slice's result, or `nil` if it is malformed or exceeds a limit, and must be evaluated as part of the envelope.
  package func evaluate(_ slice: Slice, bounds: ReportBounds) -> Partial? {
    evaluator.evaluate(slice, in: context, bounds: bounds, limits: limits) { _ in }
  }

  /// Returns the slice's result, and calls `observe` with each batch after its evaluation.
  package func evaluate(_ slice: Slice, bounds: ReportBounds, observed observe: (EventBatch) -> Void) -> Partial? {
    evaluator.evaluate(slice, in: context, bounds: bounds, limits: limits, observe)
  }
}
