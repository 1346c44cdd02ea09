import ArgumentParser
import Coffer
import Platform

/// Rules for each item of an array.
struct EachArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Apply the rules to each value of JSON Lines, or each item of an array, as a document of its own. A JSON Pointer, such as /expenses, names the array; without one, it is the whole file.",
      valueName: "pointer"), completion: .backup)
  var each: String?

  /// The value for the root, because ArgumentParser takes the next word if a value is empty.
  private static let root = "."

  /// Writes `--each` without a value as `--each=.`: ArgumentParser has no options whose value may be missing. The next word is the
  /// value if it begins with a slash, unless it is the path of a file. (A folder can't be validated.)
  static func withValue(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      result.append(argument)
      if argument == "--" { break }
      guard argument == "--each" || argument == "--each=" else { continue }
      let hasValue = argument == "--each" && rest.first.map { $0.hasPrefix("/") && !isFile($0) } ?? false
      result[result.count - 1] = "--each=" + (hasValue ? rest.removeFirst() : root)
    }
    return result + rest
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
  }

  /// The array as a JSON Pointer.
  var pointer: String? { each == Self.root ? "" : each }

  /// Returns rules for each item, if that is asked for.
  func apply(_ rules: RuleSource) throws(CofferError) -> RuleSource {
    if let pointer { try rules.forEachItem(of: pointer) } else { rules }
  }
}
