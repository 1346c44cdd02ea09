public import ByteStreams
public import JSONEvents
import RuleDrafts

/// Options for drafting rules.
public struct DraftingOptions: Sendable {
  /// How much evidence a rule needs.
  public enum Strictness: String, Sendable, CaseIterable {
    /// Strong evidence only. Members that no document has are allowed.
    case loose
    /// Members that no document has give notes.
    case normal
    /// Any evidence. Members that no document has are errors.
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
    options.strictness =
      switch strictness {
      case .loose: .loose
      case .normal: .normal
      case .tight: .tight
      }
    options.addsBounds = addsBounds
    options.name = name
    return options
  }
}
