extension Schema.Keyword {
  /// The code of its findings.
  package var code: String { grading.code ?? ProgramBuilder.code(of: name) }
}
