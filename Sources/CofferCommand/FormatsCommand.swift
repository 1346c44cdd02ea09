import ArgumentParser
import Coffer

struct FormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "List the formats that ship with Coffer, or show what one of them holds and checks.",
    discussion: """
      Examples:
        coffer formats
        coffer formats ev-charging-tracker
        coffer formats ev-charging-tracker --rules > my-rules.json
      """)

  @Argument(help: "The format to show.")
  var name: String?

  @Flag(help: "Print the format's rule document itself: a start for rules of your own.")
  var rules = false

  func validate() throws {
    if rules, name == nil { throw ValidationError("--rules needs the name of a format") }
  }

  func run() throws {
    let catalog = try FormatCatalog.builtIn()
    guard let name else {
      let width = catalog.formats.map(\.name.count).max() ?? 0
      for format in catalog.formats {
        Output.print(format.name + String(repeating: " ", count: width + 2 - format.name.count) + format.title + "\n")
      }
      return
    }
    guard let format = catalog[name] else {
      Output.complain("there is no format '\(name)'; there are \(catalog.formats.map(\.name).joined(separator: ", "))")
      throw ExitStatus.usage
    }
    Output.print(rules ? format.descriptor : format.overview)
  }
}
