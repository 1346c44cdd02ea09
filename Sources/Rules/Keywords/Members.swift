import ByteStreams
import JSONEvents

/// Schemas for the members of an object, and for their names.
extension Keyword {
  static let members: [Keyword] = [
    Keyword("properties", .applicator, subschemas: map) { schemas, _, reader throws(CofferError) in
      .members(try schemas.members(reader))
    },
    Keyword("patternProperties", .applicator, subschemas: map) { schemas, _, reader throws(CofferError) in
      reader.schema["properties"] == nil ? .members(try schemas.members(reader)) : nil
    },
    // It is read together with the names and patterns that it doesn't apply to.
    Keyword("additionalProperties", .applicator, subschemas: one) { schemas, _, reader throws(CofferError) in
      let isAlone = reader.schema["properties"] == nil && reader.schema["patternProperties"] == nil
      return isAlone ? .members(try schemas.members(reader)) : nil
    },
    Keyword("propertyNames", .applicator, since: .draft6, subschemas: one) {
      .memberNames($0.inner($1.value, $1.key, $2))
    },
    Keyword("unevaluatedProperties", .unevaluated, since: .draft2019, subschemas: one) {
      .unevaluatedMembers($0.inner($1.value, $1.key, $2))
    },
  ]
}

extension SchemaReader {
  fileprivate mutating func members(_ reader: KeywordReader) throws(CofferError) -> Schema.Members {
    var rule = Schema.Members()
    if let value = reader.schema["properties"] {
      var places: [ExactText: Int] = [:]
      for member in try value.expectMembers(of: "schemas") {
        let schema = inner(member.value, "properties", reader)
        if let place = places[ExactText(member.key)] {
          rule.named[place].schema = schema
        } else {
          places[ExactText(member.key)] = rule.named.count
          rule.named.append((member.key, schema))
        }
      }
    }
    if let value = reader.schema["patternProperties"] {
      for member in try value.expectMembers(of: "schemas") {
        let schema = inner(member.value, "patternProperties", reader)
        do throws(CofferError) { rule.patterns.append((try member.expectPattern(), schema)) } catch { note(error, in: reader) }
      }
    }
    if let value = reader.schema["additionalProperties"] { rule.additional = inner(value, "additionalProperties", reader) }
    return rule
  }
}

extension Schema.Keyword {
  /// True if the keyword depends on what others have evaluated.
  var isUnevaluated: Bool {
    switch assertion {
    case .unevaluatedItems, .unevaluatedMembers: true
    default: false
    }
  }
}

extension KeywordAdder {
  func addUnevaluated(_ keyword: Schema.Keyword, _ slot: UInt16, _ scope: Int, _ covers: Covers) -> StateDraft.Cover {
    let schema: Int
    let concernsItems: Bool
    switch keyword.assertion {
    case .unevaluatedItems(let items): (schema, concernsItems) = (items, true)
    case .unevaluatedMembers(let members): (schema, concernsItems) = (members, false)
    default: preconditionFailure("another keyword")
    }
    let index = draft.unevaluated.count
    draft.unevaluated.append(
      StateDraft.UnevaluatedRule(
        slot: slot, scope: scope, schema: schema, concernsItems: concernsItems, covers: covers, keyword: keyword))
    draft.resolutions.append(
      RuleProgram.Resolution(
        kind: .unevaluated, slot: slot, branches: RuleProgram.Range32(start: Int32(index), count: 0),
        rule: rule(keyword, "nothing")))
    return .unevaluated(index)
  }
}
