import ArgumentParser
import JSONEvents
import Platform

/// The file that makes a CI system validate the exports of a repository: see docs/ci.md.
struct CIFile {
  enum System: String, CaseIterable, ExpressibleByArgument {
    case github, gitlab, none

    /// The system that the current folder shows, or `nil`.
    static var found: System? {
      if access(".gitlab-ci.yml", F_OK) == 0 { return .gitlab }
      return access(".git", F_OK) == 0 ? .github : nil
    }
  }

  let path: String
  let text: String
  /// What is left to do, if anything.
  let note: String?

  /// Returns the text as a string of JSON, which YAML also reads.
  static func quoted(_ text: String) -> String { String(decoding: ByteBuffer.quoted(text), as: UTF8.self) }

  /// - Parameter files: patterns of paths.
  /// - Returns: `nil` for no system.
  init?(_ system: System, files: [String]) {
    switch system {
    case .none: return nil
    case .github:
      path = ".github/workflows/coffer.yml"
      note = "in \(path), replace OWNER with the owner of Coffer's repository"
      text = """
        # Validates the exports. coffer.yaml says by which rules.
        name: Coffer
        on: [push, pull_request]
        permissions:
          contents: read
          security-events: write
        jobs:
          validate:
            runs-on: ubuntu-24.04
            steps:
              - uses: actions/checkout@v5
              - uses: OWNER/coffer@v\(Version.text)
                with:
                  files: |
        \(files.map { "            \($0)" }.joined(separator: "\n"))
                  options: |
                    --redact
                  # A fork's token can't write alerts.
                  upload-sarif: ${{ !github.event.pull_request.head.repo.fork }}

        """
    case .gitlab:
      // A pipeline has one file, which may exist.
      path = "coffer.gitlab-ci.yml"
      note = "in .gitlab-ci.yml, include \(path); in that, name your copies of Coffer's repository and image"
      text = """
        # Validates the exports. coffer.yaml says by which rules. In .gitlab-ci.yml: include: [coffer.gitlab-ci.yml]
        include:
          - project: group/coffer
            ref: v\(Version.text)
            file: ci/gitlab.yml
        variables:
          COFFER_IMAGE: registry.example.com/group/coffer:\(Version.text)-shell
          COFFER_FILES: \(Self.quoted(files.joined(separator: " ")))
          COFFER_OPTIONS: --redact

        """
    }
  }
}
