package import Findings

/// The facts about an entry, known once the container has been read.
package struct EntryFacts: Sendable {
  package var size: Int64
  /// Digests in lower-case hexadecimal digits, for the algorithms that the rules may need.
  package var digests: [DigestAlgorithm: String]
  /// True if the entry exists, but its bytes can't be read.
  package var isUnreadable: Bool

  package init(size: Int64, digests: [DigestAlgorithm: String] = [:], isUnreadable: Bool = false) {
    self.size = size
    self.digests = digests
    self.isUnreadable = isUnreadable
  }
}

/// All claims of a document about its container's entries (`containerEntry`).
///
/// The result doesn't depend on the order in which the document's parts were evaluated.
package struct EntryClaims: Sendable {
  private let program: RuleProgram
  private let maximumFindings: Int
  private let redacts: Bool
  private let claims: [EntryClaim]

  init(_ claims: [EntryClaim], _ program: RuleProgram, _ options: RuleEvaluator.Options) {
    self.claims = claims
    self.program = program
    maximumFindings = options.maximumFindings
    redacts = options.redacts
  }

  /// The names of the entries that the document mentions.
  package var names: Set<String> { Set(claims.map(\.entry)) }

  /// Checks the claims against the actual entries.
  package func findings(_ facts: (String) -> EntryFacts?) -> FindingCollector {
    var collector = FindingCollector(limit: maximumFindings)
    for claim in claims {
      guard let message = message(for: claim, facts(claim.entry)) else { continue }
      let rule = program.rules[Int(claim.rule)]
      let subject = claim.subject
      collector.add(
        Finding(
          code: rule.code, keyword: rule.keyword, severity: rule.severity, message: rule.message ?? message,
          place: Place(pointer: subject.pointer, line: subject.line, column: subject.column, offset: subject.offset),
          schemaLocation: rule.pointer, excerpt: redacts ? nil : subject.excerpt))
    }
    return collector
  }

  private func message(for claim: EntryClaim, _ facts: EntryFacts?) -> String? {
    let name = redacts ? "the entry" : "the entry \(claim.entry.prefix(200))"
    switch claim.content {
    case .isThere:
      return facts == nil ? (redacts ? "there is no such entry" : "there is no entry \(claim.entry.prefix(200))") : nil
    case .size(let size):
      guard let facts, !facts.isUnreadable, facts.size != size else { return nil }
      return "\(name) has \(facts.size) bytes\(redacts ? "" : ", not \(size)")"
    case .digest(let algorithm, let text):
      guard let facts, !facts.isUnreadable, let digest = facts.digests[algorithm], digest != text else { return nil }
      return "the \(algorithm.title) of \(name) \(redacts ? "differs" : "is \(digest), not \(text.prefix(200))")"
    }
  }
}

extension RuleDocument {
  /// True if the rules name entries of the container.
  package var namesEntries: Bool { !entryRules.isEmpty }

  /// The digest algorithms that the rules require for entries.
  package var entryDigests: Set<DigestAlgorithm> { Set(entryRules.filter { $0.digest != nil }.map(\.algorithm)) }

  private var entryRules: [Schema.ContainerEntry] {
    schemas.flatMap(\.keywords).compactMap { if case .containerEntry(let entry) = $0.assertion { entry } else { nil } }
  }
}

extension DigestAlgorithm {
  fileprivate var title: String {
    switch self {
    case .md5: "MD5"
    case .sha256: "SHA-256"
    }
  }
}
