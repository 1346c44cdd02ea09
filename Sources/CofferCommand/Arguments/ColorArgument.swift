import ArgumentParser
import ByteStreams
import Reports

/// When the text report has colours.
struct ColorArgument: ParsableArguments {
  enum Choice: String, ExpressibleByArgument, CaseIterable { case auto, always, never }

  @Option(help: "When to colour the text report: on a terminal, always or never.")
  var color = Choice.auto

  /// The renderer of a report on standard output.
  var renderer: TextReport {
    var renderer = TextReport.plain
    renderer.usesColor = applies(isTerminal: Terminal.isOpen(\.output))
    return renderer
  }

  /// Returns true if a report on standard output has colours.
  ///
  /// `auto` follows https://no-color.org, `CLICOLOR_FORCE` and `TERM=dumb`, in this order.
  func applies(isTerminal: Bool) -> Bool {
    switch color {
    case .always: return true
    case .never: return false
    case .auto:
      if Terminal.variable("NO_COLOR") != "" { return false }
      if !["", "0"].contains(Terminal.variable("CLICOLOR_FORCE")) { return true }
      return isTerminal && !Terminal.isDumb
    }
  }
}

extension TextReport {
  /// The renderer of a report on standard output, without colours.
  static var plain: TextReport {
    var renderer = TextReport()
    renderer.width = Terminal.columns(of: \.output)
    return renderer
  }
}
