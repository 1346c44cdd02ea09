import BackupFormats

/// Why a document's format can't be detected.
struct DetectionError: Error {
  enum Code { case unknown, ambiguous }

  let code: Code
  /// The reason, and what to do about it.
  let message: String
}

extension FormatCatalog.Detection {
  /// The formats that fit; if none does, those that it is nearest to.
  var candidates: [FormatCatalog.Candidate] {
    switch self {
    case .format(let match): [match]
    case .unknown(let nearest): nearest
    case .ambiguous(let matches): matches
    }
  }

  /// The format that fits.
  ///
  /// - Throws: why there is none, in the words that all who need one have for it.
  func decided() throws(DetectionError) -> FormatCatalog.Candidate {
    switch self {
    case .format(let match): return match
    case .unknown(let nearest):
      let near = nearest.first.map { "; it is nearest to '\($0.format.name)', but: \(Self.few($0.missing, "; "))" } ?? ""
      throw DetectionError(
        code: .unknown, message: "unknown format: name its rules with --rules\(near)")
    case .ambiguous(let matches):
      let candidates = matches.map { "\($0.format.name), for \(Self.few($0.reasons, ", "))" }
      throw DetectionError(
        code: .ambiguous, message: "several formats fit: name one with --rules (\(Self.few(candidates, "; ")))")
    }
  }

  /// A few are enough to choose by.
  private static func few(_ texts: [String], _ separator: String) -> String {
    texts.prefix(3).joined(separator: separator) + (texts.count > 3 ? "\(separator)and \(texts.count - 3) more" : "")
  }
}
