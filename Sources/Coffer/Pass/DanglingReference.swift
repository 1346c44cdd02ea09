import JSONEvents
public import Rules

/// A reference from a kept collection to collections that are left out.
public struct DanglingReference: Sendable, Hashable, CustomStringConvertible {
  /// The title of the referring collection, and the fields.
  public let collection: String
  public let fields: String
  /// The titles of the left-out collections that it refers to.
  public let targets: [String]
  /// True if it may also refer to records of a kept collection.
  public let mayHold: Bool

  /// `expenses.carId refers to cars, which is left out: these references will dangle`
  public var description: String {
    "\(collection).\(fields) refers to \(targets.joined(separator: " and ")), which \(targets.count == 1 ? "is" : "are") left out: "
      + (mayHold ? "references that don't lead to other collections will dangle" : "these references will dangle")
  }
}

extension CollectionChoice {
  /// Returns the references from kept records to collections that are left out, one per field and target.
  ///
  /// - Parameters:
  ///   - rules: the rules with the references.
  ///   - missing: the left-out collections to which references dangle (default: all).
  public func danglingReferences(rules: RuleDocument, to missing: [String]? = nil) -> [DanglingReference] {
    var result: [DanglingReference] = []
    for pointer in kept {
      for reference in rules.references(ofCollection: pointer.pointerTokens?.last ?? "") {
        let resources = reference.key.targets.compactMap { target -> String? in
          guard case .root(let tokens) = target.resource, let name = tokens.first else { return nil }
          return "/" + name.pointerToken
        }
        let targets = resources.filter((missing ?? leftOut).contains)
        guard !targets.isEmpty else { continue }
        let dangling = DanglingReference(
          collection: title(of: pointer), fields: reference.fields, targets: targets.map(title(of:)),
          mayHold: targets.count < reference.key.targets.count)
        if !result.contains(dangling) { result.append(dangling) }
      }
    }
    return result
  }
}
