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
    private let shortDepth: Int32
    let member: Int32
    let index: Int

    init(depth: Int, member: Int32, index: Int) {
      shortDepth = Int32(truncatingIfNeeded: depth)
      self.member = member
      self.index = index
    }

    var depth: Int { Int(shortDepth) }
  }

  // Without gaps between fields: documents of nested alternatives copy these more than anything else.
  var active: Int32
  var rule: Int32
  /// The number of open containers around the failed value.
  var depth: Int32
  /// The member and the kind of a scalar in the innermost container: it may tell alternatives apart. -1 for any other value.
  var member: Int32
  var slot: UInt16
  var kind: ValueKind
  /// True if the value has another type than the branch requires, so the branch was probably not intended.
  var isTypeMismatch: Bool
  /// The value's place until the message is composed, and then `nil`.
  var step: Step?
  var content: Content

  init(
    active: Int32, slot: UInt16, rule: Int32, depth: Int32, isTypeMismatch: Bool, member: Int32 = -1, kind: ValueKind = .null,
    step: Step? = nil, content: Content
  ) {
    self.active = active
    self.rule = rule
    self.depth = depth
    self.member = member
    self.slot = slot
    self.kind = kind
    self.isTypeMismatch = isTypeMismatch
    self.step = step
    self.content = content
  }

  /// Returns the same finding under another branch.
  func moved(to asker: Asker) -> PendingFinding {
    var copy = self
    (copy.active, copy.slot) = (asker.active, asker.slot)
    return copy
  }
}
