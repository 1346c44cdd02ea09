/// Rows about values that are compared with others in the document: keys, references, sums, fields that `$data` names.
extension RuleProgram {
  /// What is done with a value that stands in a certain place.
  package struct PlaceAction: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      /// Kept for the key of a record around it.
      case capture
      /// A reference of a record around it, by itself.
      case reference
      /// A key that others may refer to, by itself.
      case definition
      /// Added to a sum.
      case sum
      /// Put among the items that a value may be.
      case item
    }

    package var kind: Kind
    /// How many active states lie between the container that holds the value and the one that asks; -1: the document asks.
    package var levels: Int32
    /// The capture; the step of the record's plan; the key set; the gathering.
    package var index: Int32
    /// Of a reference: how many containers lie between the value and the array whose items are gone through.
    package var tail: Int32 = 0
    /// The letter case of strings is taken out.
    package var ignoresCase = false
    /// Dates and times stand for the instants that they name.
    package var comparesInstants = false
  }

  package struct UniqueRule: Sendable, BitwiseCopyable {
    package var slot: UInt16
    /// The step of the array's plan that claims the items; -1: they are compared here, for a branch waits for the verdict.
    package var step: Int32
    package var rule: Int32
  }

  package final class DataOperand: Sendable {
    // A class: evaluators ask for it with each value, and a copy of its strings would cost more than the comparison.
    package let reference: Schema.DataReference
    package let format: StringFormat?
    /// The index of the document's cell, for references from the root; -1: it is another one.
    package let globalCell: Int32

    init(reference: Schema.DataReference, format: StringFormat?, globalCell: Int32) {
      self.reference = reference
      self.format = format
      self.globalCell = globalCell
    }
  }

  /// What a value is compared with that must be gathered first.
  package struct GatheringOperand: Sendable {
    package var number: Int32
    /// How many containers lie between the value and the one that gathers, 1 for its own; -1: the document.
    package var levels: Int
    package var tolerance: ExactDecimal?
  }

  /// Where a watched place's value is found: a cell of the document, or a counted array.
  package enum Watch: Sendable { case cell(Int32), count(Int32) }

  /// A string that names an entry of the container.
  package struct EntryOperand: Sendable {
    package var prefix: String
    package var size: Field?
    package var digest: Field?
    package var algorithm: DigestAlgorithm

    /// A field beside the name, and the rule about it.
    package struct Field: Sendable {
      package var name: String
      package var rule: Int32
    }
  }

  /// What the records of one array are captured for.
  package struct Plan: Sendable, BitwiseCopyable {
    package var steps: Range32
    /// Key sets that each array of this plan has for itself.
    package var scopedSetCount: Int32
    /// Whether a step asks for the record as a whole.
    package var comparesRecords: Bool
  }

  /// What is done with a record's key.
  package struct Step: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      case primaryKey, uniqueKey, uniqueItem, definition, reference
      /// The key with the whole record: a violation says that the one of the key, which is the step before, is about two equal records.
      case equalRecord
    }

    package var kind: Kind
    /// A run of `stepFields`: the record's captures that make the key.
    package var fields: Range32
    /// A key set of the document or, if scoped, of the array at hand.
    package var keySet: Int32
    package var isScoped: Bool
    /// A slot of the record's state that must hold for the step to be taken; 0: none.
    package var condition: UInt16
    package var rule: Int32
    /// Of a reference: the step that it refines; -1: none.
    package var base: Int32
    package var findingCapture: Int32
    /// What a finding points at is the key itself.
    package var findsKey: Bool
    /// How many containers above the record that stands in whose records alone the key counts; -1: the document.
    package var levels: Int32
    /// The record makes several references, one for each value that a place action has put by.
    package var isFanned: Bool
    /// The counted arrays (a run of `stepFields`) that soften the rule where all are empty.
    package var emptyCounts: Range32
  }

  /// What messages say of a step.
  package struct StepLabel: Sendable {
    package var fields: [String]
    package var findingField: String
    package var resource: String
    /// What a dangling reference comes to where there is no record that could have been meant.
    package var ifEmpty: Schema.ForeignKey.IfEmpty?
    /// How a duplicate is graded whose record equals an earlier one.
    package var ifEqual: Schema.Leniency?
    /// The list that the reference looks into, if that is one around the record.
    package var list: List?

    /// Where a list stands: so many levels above the array that findings of the step count from, or above the record.
    package struct List: Sendable {
      package var levels: Int
      package var tokens: [String]
    }
  }
}

extension RuleProgram {
  /// Whether a reference looks into a list around the record.
  var looksIntoLists: Bool { stepLabels.contains { $0.list != nil } }
}
