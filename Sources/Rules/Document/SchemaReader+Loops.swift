import ByteStreams
import Findings
import JSONEvents

/// Schemas that refer to themselves.
extension SchemaReader {
  /// Makes schemas unusable that refer to themselves without descending into a member or an item: they would apply endlessly.
  ///
  ///     {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}
  ///
  ///     a ─▶ a/allOf/0 ─▶ b ─▶ b/not ─▶ a        a is entered while it is open: a becomes unusable
  ///
  /// The compiler and others follow such schemas without further care. What a `$dynamicRef` leads to is known only when rules are
  /// compiled: the compiler refuses its loops. The search takes time linear in the rules, and no recursion.
  mutating func breakLoops() {
    enum Mark { case new, open, done }
    var marks = Array(repeating: Mark.new, count: schemas.count)
    var endless: Set<Int> = []
    for start in schemas.indices where marks[start] == .new {
      var way: [(schema: Int, parts: [Int])] = [(start, partsInPlace(of: start))]
      marks[start] = .open
      while let last = way.indices.last {
        guard let part = way[last].parts.popLast() else {
          marks[way.removeLast().schema] = .done
          continue
        }
        if marks[part] == .new {
          marks[part] = .open
          way.append((part, partsInPlace(of: part)))
        } else if marks[part] == .open {
          endless.insert(part)
        }
      }
    }
    for index in endless.sorted() {
      let origin = schemas[index].origin
      let message = "this schema refers to itself without descending into a member or an item"
      let code = CofferError.Code.endlessReference
      warn(origin.finding(code: code.rawValue, keyword: "$ref", message))
      let place = CofferError.Place(document: origin.document, pointer: origin.pointer, position: origin.position)
      schemas[index].keywords = [
        Schema.Keyword(
          name: "$ref", origin: origin, assertion: .unusable(CofferError(code, message, at: place)), grading: Schema.Grading())
      ]
    }
  }

  /// Returns the schemas that apply to the same value as this one, the last one first.
  private func partsInPlace(of schema: Int) -> [Int] {
    var parts: [Int] = []
    for keyword in schemas[schema].keywords {
      // On its own, `if` validates nothing.
      if case .condition(_, nil, nil) = keyword.assertion { continue }
      for part in keyword.assertion.inPlace where part.application != .unlessOverridden { parts.append(part.schema) }
    }
    return parts.reversed()
  }
}
