import BackupFormats

/// The reason why a document's format can't be detected.
struct DetectionError: Error {
  enum Code { case unknown, ambiguous }

  let code: Code
  /// The message, with a remedy.
  let message: String
  /// The formats that fit; if none does, the closest ones.
  let candidates: [FormatCatalog.Candidate]
}

extension FormatCatalog.Detection {
  /// Returns the format that fits.
  ///
  /// - Throws: an error if no format or several formats fit, with the same message for all callers.
  func decided() throws(DetectionError) -> FormatCatalog.Candidate {
    switch self {
    case .format(let match): return match
    case .unknown(let nearest):
      let near = nearest.first.map { "; the closest is '\($0.format.name)', but: \(Self.few($0.missing, "; "))" } ?? ""
      throw DetectionError(
        code: .unknown, message: "unknown format: name one with --rules\(near)", candidates: nearest)
    case .ambiguous(let matches):
      let candidates = matches.map { "\($0.format.name), for \(Self.few($0.reasons, ", "))" }
      throw DetectionError(
        code: .ambiguous, message: "several formats fit: name one with --rules (\(Self.few(candidates, "; ")))",
        candidates: matches)
    }
  }

  /// Joins the first three texts, and counts the others.
  private static func few(_ texts: [String], _ separator: String) -> String {
    texts.prefix(3).joined(separator: separator) + (texts.count > 3 ? "\(separator)and \(texts.count - 3) more" : "")
  }
}
