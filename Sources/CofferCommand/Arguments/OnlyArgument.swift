import ArgumentParser
import Coffer

/// The collections to process.
struct OnlyArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use only these collections: names or JSON Pointers, separated by commas. May be repeated.",
      valueName: "collections"), completion: .collections)
  var only: [String] = []

  func validate() throws {
    if !only.isEmpty, selection?.names.isEmpty ?? true { throw ValidationError("--only names no collection") }
  }

  /// `nil` means all collections.
  var selection: CollectionSelection? {
    only.isEmpty ? nil : CollectionSelection(list: only.joined(separator: ","))
  }
}
