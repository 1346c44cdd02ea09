import JSONEvents

/// A failure under a branch that is not decided yet.
struct PendingFinding {
  enum Content {
    /// A scalar of the current batch or slice. Its message is composed when the branch is reported, or before its text is
    /// released.
    case unworded(RuleProgram.Check, ValueKind, text: ByteView, offset: Int, Pattern.Outcome)
    /// A container that begins in the current batch, and the value found instead of the expected one. Its message is also
    /// composed later.
    case unwordedContainer(found: Found, offset: Int)
    case worded(FindingSubject, String)
    /// A finding that is only counted, because too many were already pending.
    case counted(Int)

    /// True if the message is composed later.
    var isUnworded: Bool {
      switch self {
      case .unworded, .unwordedContainer: true
      case .worded, .counted: false
      }
    }

    /// Returns whether the message can still be composed if only these bytes remain.
    func needsNothing(but lasting: ByteView) -> Bool {
      switch self {
      case .unworded(_, _, let text, _, _): lasting.contains(text)
      case .unwordedContainer, .worded, .counted: true
      }
    }
  }

  enum Found {
    case array, object, otherArray, otherObject
    case count(Int)
    /// The number of an object's members.
    case unchecked(Int)
  }

  /// The place of a value: in the innermost of `depth` frames, at a member or an index.
  struct Step {
    var depth: Int
    /// The member of an object, which may tell alternatives apart.
    var member: Int32
    /// The kind of a scalar.
    var kind = ValueKind.null
    var index: Int
  }

  var active: Int32
  var slot: UInt16
  var rule: Int32
  /// The number of open containers around the failed value.
  var depth: Int32
  /// True if the value has another type than the branch requires, so the branch was probably not intended.
  var isTypeMismatch: Bool
  /// The value's place, if the message was not composed at once. Then its container may still be open.
  var step: Step?
  var content: Content

  /// Returns the same finding under another branch.
  func moved(to asker: Asker) -> PendingFinding {
    var copy = self
    (copy.active, copy.slot) = (asker.active, asker.slot)
    return copy
  }
}
