package import JSONEvents

/// Evaluates slices of one collection, one after the other, each as if it were the first: one for each thread.
package final class SliceEvaluator {
  private var evaluator: RuleEvaluator
  private let context: CollectionContext
  private let limits: ReaderLimits

  package init(_ program: RuleProgram, options: RuleEvaluator.Options, context: CollectionContext, limits: ReaderLimits) {
    evaluator = RuleEvaluator(program, options: options)
    self.context = context
    self.limits = limits
  }

  /// What the slice comes to; `nil` if it must be read and evaluated as spine, for it is malformed or goes past a limit.
  package func evaluate(_ slice: Slice, bounds: ReportBounds) -> Partial? {
    evaluator.evaluate(slice, in: context, bounds: bounds, limits: limits) { _ in }
  }

  /// The same, for somebody else to see the events behind the evaluation of each batch, too.
  package func evaluate(_ slice: Slice, bounds: ReportBounds, observed observe: (EventBatch) -> Void) -> Partial? {
    evaluator.evaluate(slice, in: context, bounds: bounds, limits: limits, observe)
  }
}
