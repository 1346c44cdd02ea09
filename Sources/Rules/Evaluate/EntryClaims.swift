import ByteStreams
package import Findings
import JSONEvents

/// Strings that name entries of the container (`containerEntry`). Here they are only recorded.
extension RuleEvaluator {
  /// Records the claim of a string that names an entry.
  mutating func claimEntry(_ check: RuleProgram.Check, _ scalar: Scalar, in holder: Int) {
    guard options.gathersEntries else { return }
    let operand = program.constants.entries[Int(check.operand)]
    let entry = operand.prefix + scalar.text.string
    partial.entryClaims.append(EntryClaim(entry: entry, content: .isThere, rule: check.rule, subject: subject(of: scalar)))
    if operand.size != nil || operand.digest != nil {
      openEntries.append(OpenEntry(holder: holder, operand: check.operand, entry: entry))
    }
  }

  /// Records the claims of other fields in the ending object of `holder` about the entries that it names.
  mutating func claimDetails(heldBy holder: Int) {
    // Entries of enclosing objects are further down; those of other states of the same object are in between.
    var kept: [OpenEntry] = []
    defer { openEntries += kept.reversed() }
    while let open = openEntries.last, open.holder >= holder {
      openEntries.removeLast()
      guard open.holder == holder else {
        kept.append(open)
        continue
      }
      let operand = program.constants.entries[Int(open.operand)]
      // A size of 0 means that the writer didn't know it.
      if let field = operand.size, let (value, subject) = cell(field, of: holder), value.kind == .number,
        let size = value.decimal?.int64, size != 0
      {
        partial.entryClaims.append(EntryClaim(entry: open.entry, content: .size(size), rule: field.rule, subject: subject))
      }
      if let field = operand.digest, let (value, subject) = cell(field, of: holder), value.kind == .string {
        let text = String(decoding: value.text, as: UTF8.self).lowercased()
        partial.entryClaims.append(
          EntryClaim(entry: open.entry, content: .digest(operand.algorithm, text), rule: field.rule, subject: subject))
      }
    }
  }

  /// Returns a field of the ending object, with its place.
  private mutating func cell(_ field: RuleProgram.EntryOperand.Field, of holder: Int) -> (DataValue, FindingSubject)? {
    guard let index = cellIndex(of: field.name, in: holder), let position = cells[index].position else { return nil }
    let value = cells[index]
    return (
      value,
      FindingSubject(
        pointer: pointer(depth: frames.count - 1) + "/" + field.name.reportedToken, position: position,
        excerpt: String(decoding: value.text.prefix(80), as: UTF8.self))
    )
  }
}

/// A document's claim about an entry of its container. It is checked after the container has been read.
struct EntryClaim: Sendable {
  enum Content: Sendable {
    case isThere
    case size(Int64)
    /// The digest in hexadecimal digits.
    case digest(DigestAlgorithm, String)
  }

  var entry: String
  var content: Content
  var rule: Int32
  var subject: FindingSubject
}

/// An entry name in an open object. The object's other claims about the entry are known when it ends.
struct OpenEntry {
  /// The active state of the object.
  var holder: Int
  var operand: Int32
  var entry: String
}

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

  init(_ claims: [EntryClaim], _ program: RuleProgram, _ options: EvaluationOptions) {
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
      collector.add(Finding(rule, claim.subject, rule.message ?? message, redacts: redacts))
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
