import ArgumentParser
import Coffer

/// The limits of what compressed input may expand to.
struct ExpansionArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Maximum size of a compressed document or an archive once it is expanded, such as 10GB.", valueName: "size"))
  var maxSize = ByteSize(bytes: ExpansionLimits().size)

  @Option(help: ArgumentHelp("Maximum compression ratio of a gzip or zstd document, or of an archive's entry.", valueName: "n"))
  var maxRatio = ExpansionLimits().ratio

  func validate() throws {
    if maxRatio < 1 { throw ValidationError("--max-ratio must be at least 1") }
  }

  var limits: ExpansionLimits {
    var limits = ExpansionLimits()
    limits.size = maxSize.bytes
    limits.ratio = maxRatio
    return limits
  }
}
