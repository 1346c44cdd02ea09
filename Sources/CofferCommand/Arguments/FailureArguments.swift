public import ArgumentParser
public import Coffer

/// The findings that make a run fail.
struct FailureArguments: ParsableArguments {
  @Option(help: "Fail on findings of this severity or a higher one.")
  var failOn: Severity?

  @Flag(help: "Short for --fail-on warning.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Tolerate up to this number of findings with a code, or a share of the records. May be repeated: foreign-key=10, order=0.5%.",
      valueName: "code=n"))
  var maxErrors: [ToleratedFindings] = []

  func validate() throws {
    if strict, let failOn, failOn != .warning {
      throw ValidationError("--strict and --fail-on \(failOn.rawValue) exclude each other")
    }
    for (index, limit) in maxErrors.enumerated() where maxErrors[..<index].contains(where: { $0.code == limit.code }) {
      throw ValidationError("--max-errors names \(limit.code) twice")
    }
  }

  var policy: FailurePolicy {
    var policy = FailurePolicy()
    policy.severity = failOn ?? (strict ? .warning : .error)
    policy.tolerances = Dictionary(maxErrors.map { ($0.code, $0.tolerance) }) { first, _ in first }
    return policy
  }
}

extension Severity: ExpressibleByArgument {
  public static var allValueStrings: [String] { ["error", "warning", "note"] }
}

/// `CODE=N` or `CODE=N%`.
struct ToleratedFindings: ExpressibleByArgument {
  let code: String
  let tolerance: FailurePolicy.Tolerance

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
    code = String(argument[..<sign])
    let text = argument[argument.index(after: sign)...]
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
      tolerance = .share(percent / 100)
    } else {
      guard let count = Int(text), count >= 0 else { return nil }
      tolerance = .count(count)
    }
  }
}
