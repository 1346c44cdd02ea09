public import ByteStreams
public import JSONEvents
import RuleDrafts

/// Options for drafting rules.
public struct DraftingOptions: Sendable {
  /// How much evidence a rule needs.
  public enum Strictness: String, Sendable, CaseIterable {
    /// Only what the documents show beyond doubt.
    case loose
    /// Also what they show often enough.
    case normal
    /// All that they allow; members that no document has are errors.
    case tight
  }

  public var strictness = Strictness.normal
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
    options.strictness = DraftOptions.Strictness(rawValue: strictness.rawValue) ?? .normal
    options.addsBounds = addsBounds
    options.name = name
    return options
  }
}
