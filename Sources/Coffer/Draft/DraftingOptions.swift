public import ByteStreams
public import JSONEvents
public import RuleDrafts

/// Options for drafting rules.
public struct DraftingOptions: Sendable {
  public var strictness = DraftStrictness.normal
  /// True to add the bounds of numbers and dates.
  public var addsBounds = false
  /// The name of the format that the rules describe, or `nil` for rules without a `backup`.
  public var name: String?
  /// The documents' syntax. If `nil`, their names decide.
  public var syntax: JSONSyntax?
  public var limits = ReaderLimits()
  /// Threads, memory for keys, temporary files, cancellation and progress.
  public var execution = Execution()
  package var slices: Slicer.Options? = Slicer.Options()

  /// Creates options with the defaults above.
  public init() {}

  var conclusions: DraftOptions {
    var options = DraftOptions()
    options.strictness = strictness
    options.addsBounds = addsBounds
    options.name = name
    return options
  }
}
