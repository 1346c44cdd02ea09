extension Schema.Keyword {
  /// The code of its findings.
  package var code: String { grading.code ?? KeywordNames.code(of: name) }
}
