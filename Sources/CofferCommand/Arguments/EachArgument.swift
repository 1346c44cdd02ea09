import ArgumentParser
import Coffer
import Platform

/// Rules for each item of an array.
struct EachArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Apply the rules to each line of JSON Lines or item of the root array, or to each item of this array, as a document of its own.",
      valueName: "pointer"))
  var each: String?

  /// The value that stands for the root: ArgumentParser takes the next word if it is empty.
  private static let root = "."

  /// Writes `--each` without a value as `--each=.`. A word that begins with a slash is its value, unless it is the path of a file.
  static func withValue(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      result.append(argument)
      if argument == "--" { break }
      guard argument == "--each" else { continue }
      let isValue = rest.first.map { $0.hasPrefix("/") && access($0, F_OK) != 0 } ?? false
      result[result.count - 1] = "--each=" + (isValue ? rest.removeFirst() : root)
    }
    return result + rest
  }

  /// The array as a JSON Pointer.
  var pointer: String? { each == Self.root ? "" : each }

  /// Returns rules for each item, if that is asked for.
  func apply(_ rules: RuleSource) throws(CofferError) -> RuleSource {
    if let pointer { try rules.forEachItem(of: pointer) } else { rules }
  }
}
