import Findings
import JSONEvents

/// Rows about values that are compared with others in the document: keys, references, sums, fields that `$data` names.
extension RuleProgram {
  /// In place of a number of levels: up to the document's root, if the document is an item of an array.
  static let documentScope = Int32.max

  /// An action for a value in a certain place.
  package struct PlaceAction: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      /// Captures the value for the key of a record around it.
      case capture
      /// The value alone is a reference of a record around it.
      case reference
      /// The value alone is a key that others may refer to.
      case definition
      /// Adds the value to a sum.
      case sum
      /// Adds the value to the items that another value may equal.
      case item
      /// Completes those items: there is no array.
      case noItems
      /// Compares the value with the one before it.
      case order
    }

    package var kind: Kind
    /// The number of active states between the container of the value and the requesting one, or -1 if the document requests it.
    package var levels: Int32
    /// The capture; the step of the record's plan; the key set; the aggregate; the order.
    package var index: Int32
    /// The number of containers between a reference's value and the collection whose values are visited.
    package var tail: Int32 = 0
    /// True if the value is a member's name. A name that spells an integer also equals that integer.
    package var isName = false
    /// True to ignore the letter case of strings.
    package var ignoresCase = false
    /// True to compare dates and times as instants.
    var comparesInstants = false
    var numbers = Numbers.kept
  }

  /// How a key compares integers with member names, which are always text in JSON.
  package enum Numbers: UInt8, Sendable, BitwiseCopyable {
    /// Values are compared as they are.
    case kept
    /// An integer is compared as its text: 7 as "7".
    case spelled
    /// A name is compared as the integer that it spells. Other names, and indices, equal nothing.
    case read
  }

  package struct UniqueRule: Sendable, BitwiseCopyable {
    package var slot: UInt16
    package var ignoresCase: Bool
    /// The step of the array's plan that claims the items. If -1, they are compared here, because a branch waits for the result.
    package var step: Int32
    package var rule: Int32
  }

  package final class DataOperand: Sendable {
    // A class: evaluators request it for each value, and copying its strings would cost more than the comparison.
    package let reference: Schema.DataReference
    package let format: StringFormat?
    /// The index of the document's cell for references from the root, or -1 for other references.
    package let globalCell: Int32

    init(reference: Schema.DataReference, format: StringFormat?, globalCell: Int32) {
      self.reference = reference
      self.format = format
      self.globalCell = globalCell
    }
  }

  /// The aggregate that a value is compared with.
  package struct AggregateOperand: Sendable {
    package var number: Int32
    /// The number of containers between the value and the one that has the aggregate: 1 for the value's own container, -1 for the document.
    package var levels: Int
    package var tolerance: ExactDecimal?
  }

  /// The source of a watched place's value: a cell of the document, or a counted array.
  package enum Watch: Sendable { case cell(Int32), count(Int32) }

  /// A string that names an entry of the container.
  package struct EntryOperand: Sendable {
    package var prefix: String
    package var size: Field?
    package var digest: Field?
    package var algorithm: DigestAlgorithm

    /// A sibling field of the name, and the rule about it.
    package struct Field: Sendable {
      package var name: String
      package var rule: Int32
    }
  }

  /// The plan for capturing the records of one collection.
  package struct Plan: Sendable, BitwiseCopyable {
    package var steps: Range32
    /// The captures of a record's name or index: a run of `placeActions`. If the collection is an object, its own captures from
    /// `State.nameCaptures` on have the name of the current member, each as the action wants it.
    var names: Range32
    /// The number of key sets that each collection of this plan has for itself.
    var scopedSetCount: Int32
    /// True if a step needs the record as a whole.
    var comparesRecords: Bool
  }

  /// A step that processes a record's key.
  package struct Step: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      case primaryKey, uniqueKey, uniqueItem, definition, reference
      /// The key with the whole record: a violation means that the violation of the preceding step, the key's own, concerns two
      /// equal records.
      case equalRecord
    }

    package var kind: Kind
    /// A run of `stepFields`: the record's captures that make up the key.
    package var fields = Range32.none
    /// A key set of the document or, if scoped, of the current collection.
    var keySet: Int32
    var isScoped: Bool
    /// The slot of the record's state that must hold for the step to apply, or 0 if there is no condition.
    package var condition: UInt16 = 0
    package var rule: Int32 = -1
    /// The step that a reference refines, or -1 if there is none.
    package var base: Int32 = -1
    var findingCapture: Int32 = 0
    /// True if findings point at the key itself.
    var findsKey = false
    /// The number of containers from the record up to the one to which the key is limited, or -1 for the whole stream, or
    /// `documentScope`.
    package var levels: Int32 = -1
    /// True if the record makes several references, one for each value that a place action has kept.
    var isMultivalued = false
    /// The counted arrays (a run of `stepFields`) for `ifEmpty`: if all are empty, the finding has its severity.
    var emptyCounts = Range32.none
  }

  /// The parts of messages about a step.
  package struct StepLabel: Sendable {
    package var fields: [String]
    package var findingField = ""
    package var resource = ""
    /// The grading of a dangling reference if there are no candidate records.
    package var ifEmpty: Schema.ForeignKey.IfEmpty?
    /// The grading of a duplicate whose record equals an earlier one.
    package var ifEqual: Schema.Leniency?
    /// The list that the reference looks into, if it is around the record.
    package var list: List?

    /// The place of a list: that many levels above the array that the step's findings are relative to, or above the record.
    package struct List: Sendable {
      package var levels: Int
      package var tokens: [String]
    }
  }
}

extension RuleProgram.PlaceAction.Kind {
  /// The kinds of values that the action concerns.
  var kinds: [JSONKind] {
    switch self {
    case .sum: [.boolean, .number, .string, .array, .object]
    case .noItems: [.boolean, .number, .string]
    case .capture, .reference, .definition, .item, .order: JSONKind.allCases
    }
  }
}

extension RuleProgram {
  /// True if a reference looks into a list around the record.
  var looksIntoLists: Bool { stepLabels.contains { $0.list != nil } }

  /// For each step, whether its findings depend on all places of its violations, not only on their number and the first ones:
  /// references into lists, and keys of records that may be equal.
  var stepsWithDetails: [Bool] {
    let looksIntoLists = looksIntoLists
    return stepLabels.indices.map { index in
      let (step, label) = (steps[index], stepLabels[index])
      return label.list != nil || step.isMultivalued && looksIntoLists || label.ifEqual != nil || step.kind == .equalRecord
    }
  }
}

/// The reasons for capturing the records of a collection, during compilation.
struct PlanDraft {
  /// A step, but for what depends on the program's other plans.
  struct Step {
    /// The base is a step of this plan.
    var row: RuleProgram.Step
    var label: RuleProgram.StepLabel
    /// The captures of the record, one per field.
    var fields: [Int]
    var emptyCounts: [Int] = []

    init(kind: RuleProgram.Step.Kind, fields: [Int], names: [String], keySet: Int, isScoped: Bool) {
      row = RuleProgram.Step(kind: kind, keySet: Int32(keySet), isScoped: isScoped)
      label = RuleProgram.StepLabel(fields: names)
      self.fields = fields
    }
  }

  struct Capture: Hashable {
    /// The path to the value.
    var path: [ExactText]
    /// True to capture strings without letter case.
    var ignoresCase: Bool
    /// True to capture the value as an instant.
    var comparesInstants: Bool
    var numbers: RuleProgram.Numbers

    /// True if it is the record's name or index.
    var isName: Bool { path == [ExactText(Schema.recordName)] }
    /// True if it is one of the record's own fields, unchanged.
    var isPlain: Bool { path.count == 1 && !isName && !ignoresCase && !comparesInstants && numbers == .kept }
  }

  var steps: [Step] = []
  /// The captures of the record's name or index, as `RuleProgram.Plan` has them.
  var names = RuleProgram.Range32.none
  /// The captured fields.
  private(set) var captures: [Capture] = []
  /// The tree of the watched places in a record, if any are below its own fields.
  var root: Int?
  /// The trees of keys that the record defines for its own references.
  var keyRoots: [Int] = []
  var scopedSetCount = 0

  /// True if the records themselves are processed.
  var hasRecords: Bool { steps.contains { $0.row.kind != .uniqueItem } }

  /// Returns the captures of these fields.
  ///
  /// - Parameter numbers: for fields at some positions.
  mutating func captures(
    of fields: [Schema.FieldPath], ignoringCase: Bool = false, asInstants: Bool = false, numbers: [Int: RuleProgram.Numbers] = [:]
  ) -> [Int] {
    fields.enumerated().map {
      capture(of: $1, ignoringCase: ignoringCase, asInstant: asInstants, numbers: numbers[$0] ?? .kept)
    }
  }

  mutating func capture(
    of field: Schema.FieldPath, ignoringCase: Bool = false, asInstant: Bool = false, numbers: RuleProgram.Numbers = .kept
  ) -> Int {
    let capture = Capture(
      path: field.map(ExactText.init), ignoresCase: ignoringCase, comparesInstants: asInstant, numbers: numbers)
    if let index = captures.firstIndex(of: capture) { return index }
    captures.append(capture)
    return captures.count - 1
  }
}
