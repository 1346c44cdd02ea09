import BackupFormats
import ByteStreams
import JSONEvents
import Rules

/// What is needed to leave collections of one document out.
struct SelectiveConversion {
  let filter: CollectionFilter
  let choice: CollectionChoice?
  let danglingReferences: [DanglingReference]

  /// Finds what is asked for among the collections of the rules, or of the format that the document's start shows, which is read.
  ///
  /// - Throws: `CollectionError`, `ByteStreamError`.
  init(_ selection: CollectionSelection, by rules: ValidationRules, of source: inout any ByteSource, _ syntax: JSONSyntax) throws
  {
    switch rules {
    case .format(let format): self.init(try selection.choice(from: format), format.rules)
    case .document(let document, let name): self.init(try selection.choice(from: document, named: name), document)
    case .detected(let catalog):
      let prefix = try source.readPrefix(FormatCatalog.prefixSize)
      source = PrefixedSource(prefix: prefix, rest: source)
      let detection = syntax == .json ? catalog.detect(in: prefix) : .unknown(nearest: [])
      do {
        let format = try detection.decided().format
        self.init(try selection.choice(from: format), format.rules)
      } catch let error as DetectionError {
        guard error.code == .unknown else { throw CollectionError(code: .ambiguous, pointer: "", message: error.message) }
        // Which arrays there are shows only as they come.
        self.init(filter: CollectionFilter(keeping: selection), choice: nil, danglingReferences: [])
      }
    }
  }

  private init(_ choice: CollectionChoice, _ rules: RuleDocument) {
    self.init(
      filter: CollectionFilter(leavingOut: choice, by: rules), choice: choice,
      danglingReferences: choice.danglingReferences(by: rules))
  }

  private init(filter: CollectionFilter, choice: CollectionChoice?, danglingReferences: [DanglingReference]) {
    self.filter = filter
    self.choice = choice
    self.danglingReferences = danglingReferences
  }
}
