import JSONEvents

/// The table of keywords. A new plain keyword is a file, and a line here.
extension Keyword {
  /// In the order in which suggestions prefer them.
  package static let all: [Keyword] =
    descriptions + gradings + references + members + items + branches + values + numbers + counts + [uniqueItems] + requirements
    + strings + formatBounds + keys + totals + [maxBytes, sortedBy, since, containerEntry] + former

  private static let descriptions = [
    "$schema", "$comment", "$vocabulary", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "contentEncoding", "contentMediaType",
  ].map { Keyword($0, .annotation, read: nothing) }
  private static let gradings = ["severity", "code", "errorMessage"].map { Keyword($0, .grading, read: nothing) }
  /// Those of older drafts.
  private static let former = formerReferences + [dependencies, additionalItems]

  /// The members that grade the findings of an entry in a list.
  static let gradingNames = gradings.map(\.name)
}

extension Schema.Assertion {
  /// The rule, unless the keyword only applies schemas to the value and its parts.
  var rule: Rules.Keyword.Rule? {
    switch self {
    case .never: .never
    case .unusable(let error): .unusable(error)
    case .types(let types): .types(types)
    case .values(let values): .values(values)
    case .equalsData(let data): .equals(data)
    case .amongData(let data): .among(data)
    case .bound(let comparison, let operand): .bound(comparison, operand)
    case .multipleOf(let divisor): .multiple(of: divisor)
    case .length(let comparison, let count): .length(comparison, count)
    case .itemCount(let comparison, let count): .itemCount(comparison, count)
    case .memberCount(let comparison, let count): .memberCount(comparison, count)
    case .pattern(let pattern): .pattern(pattern)
    case .format(let format): .format(format)
    case .formatBound(let format, let comparison, let operand): .formatBound(format, comparison, operand)
    case .required(let names): .required(names)
    case .dependentRequired(let dependencies): .dependentRequired(dependencies)
    case .uniqueItems(let ignoresCase): .uniqueItems(ignoringCase: ignoresCase)
    case .uniqueKey(let key): .uniqueKey(key)
    case .foreignKey(let key): .foreignKey(key)
    case .countOf(let place): .count(of: place)
    case .sumOf(let sum): .sum(sum)
    case .containerEntry(let entry): .containerEntry(entry)
    case .sortedBy(let order): .sorted(by: order)
    case .since(let version): .since(version)
    case .own(let rule): rule
    case .members, .memberNames, .items, .contains, .unevaluatedMembers, .unevaluatedItems, .reference, .dynamicReference,
      .allOf, .anyOf, .oneOf, .not, .condition, .dependentSchemas:
      nil
    }
  }

  /// The types of the values that the keyword is about, or `nil` if it is about all.
  var types: TypeSet? {
    switch self {
    case .members, .memberNames, .dependentSchemas, .unevaluatedMembers: .object
    case .items, .contains, .unevaluatedItems: .array
    default: rule?.types
    }
  }
}
