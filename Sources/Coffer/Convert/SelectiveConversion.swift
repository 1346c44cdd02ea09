import BackupFormats
import ByteStreams
import JSONEvents
import Rules

/// The parts to leave out of one document.
struct SelectiveConversion {
  let filter: CollectionFilter
  let choice: CollectionChoice?
  let danglingReferences: [DanglingReference]

  /// Finds the selected collections among those of the rules, or of the format that is detected by reading the document's start.
  init(_ selection: CollectionSelection, rules: RuleSource, of source: inout any ByteSource, _ syntax: JSONSyntax) throws {
    let document = try IdentifiedDocument(source, rules: rules, named: "", syntax: syntax)
    source = document.source
    switch document.identity {
    case .format(let format, _): self.init(try selection.choice(from: format), format.rules)
    case .rules(let rules, let name): self.init(try selection.choice(from: rules, named: name), rules)
    case .undetected(let error):
      if error.code == .ambiguous { throw CofferError(.ambiguousFormat, error.message) }
      // The collections are not known before they are read.
      self.init(filter: CollectionFilter(keeping: selection), choice: nil, danglingReferences: [])
    }
  }

  private init(_ choice: CollectionChoice, _ rules: RuleDocument) {
    self.init(
      filter: CollectionFilter(leavingOut: choice, rules: rules), choice: choice,
      danglingReferences: choice.danglingReferences(rules: rules))
  }

  private init(filter: CollectionFilter, choice: CollectionChoice?, danglingReferences: [DanglingReference]) {
    self.filter = filter
    self.choice = choice
    self.danglingReferences = danglingReferences
  }
}
