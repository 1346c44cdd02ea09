import ArgumentParser
import Platform

/// When the text report has colours.
struct ColorArgument: ParsableArguments {
  enum Choice: String, ExpressibleByArgument, CaseIterable { case auto, always, never }

  @Option(help: "When to colour the text report: on a terminal, always or never.")
  var color = Choice.auto

  /// Returns true if a report on standard output has colours.
  ///
  /// `auto` follows https://no-color.org, `CLICOLOR_FORCE` and `TERM=dumb`, in this order.
  func applies(isTerminal: Bool) -> Bool {
    switch color {
    case .always: return true
    case .never: return false
    case .auto:
      if Self.variable("NO_COLOR") != "" { return false }
      if !["", "0"].contains(Self.variable("CLICOLOR_FORCE")) { return true }
      return isTerminal && Self.variable("TERM") != "dumb"
    }
  }

  private static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
}
