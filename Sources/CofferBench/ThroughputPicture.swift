import ByteStreams
import Findings
import Platform
import Reports

/// The report as a picture: an SVG with its own background, which any page can show, light or dark.
///
///     a.json: 1,000 MB, 3,012,345 records                Linux x86_64 with 2 processors
///                          MB per second            records per second   peak MiB
///     validate  1 worker   ▬▬▬▬▬▬▬▬▬▬ 222                      669,000   ▬▬▬▬▬ 31
///               2 workers  ▬▬▬▬▬▬▬▬▬▬▬▬ 394                  1,190,000   ▬▬▬▬▬▬ 39
///
/// Both scales are logarithmic, so that all bars are readable: decompressing is a hundred times as fast as importing. Each bar
/// has its number next to it.
package struct ThroughputPicture {
  private let report: ThroughputReport
  private let speed: LogarithmicScale
  private let memory: LogarithmicScale

  package init(of report: ThroughputReport) {
    self.report = report
    speed = LogarithmicScale(of: report.measurements.compactMap(report.megabytesPerSecond), from: 196, to: 440)
    memory = LogarithmicScale(
      of: report.measurements.compactMap { $0.peakMemory.map { Double($0) / 1_048_576 } }, from: 640, to: 836)
  }

  // Lengths are in pixels.
  private static let (width, row, gap, top) = (900, 22, 10, 84)
  /// The right edges of the worker labels and the record rates.
  private static let (workersEnd, recordsEnd) = (184.0, 596.0)

  /// The SVG text, with a trailing newline.
  package var svg: String {
    var (body, y): ([String], Int) = ([], Self.top)
    var step: Step?
    for measurement in report.measurements {
      if step != measurement.figure.step {
        if step != nil { y += Self.gap }
        body.append(Self.text(20, y + 15, measurement.figure.step.rawValue, "step"))
      }
      step = measurement.figure.step
      body += rows(of: measurement, at: y)
      y += Self.row
    }
    let height = y + 36
    let lines = [
      #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(Self.width) \#(height)" width="\#(Self.width)" height="\#(height)" role="img""#,
      #"     aria-label="Throughput and peak memory of each step">"#,
      "<style>\n\(Self.style)</style>",
      #"<rect class="ground" x="0.5" y="0.5" width="\#(Self.width - 1)" height="\#(height - 1)" rx="8"/>"#,
    ]
    return (lines + head + axes(to: y) + body + ["</svg>"]).map { $0 + "\n" }.joined()
  }

  private var head: [String] {
    let survey = report.survey
    let size = Double(survey.bytes) / 1e6
    let title =
      "\(report.file): \(TextReport.rounded(size)) MB, \(survey.records.counted("record"))"
    let place = "\(report.machine.system) with \(report.machine.processors.counted("processor"))"
    return [
      Self.text(20, 30, title.printable, "title"), Self.text(Self.width - 20, 30, place.printable, "note", anchor: "end"),
      Self.text(Int(speed.start), 64, "MB per second (logarithmic; longer is better)", "note"),
      Self.text(Int(Self.recordsEnd), 64, "records per second", "note", anchor: "end"),
      Self.text(Int(memory.start), 64, "peak MiB (logarithmic; shorter is better)", "note"),
    ]
  }

  /// Returns the lines of both scales, with their labels below.
  private func axes(to bottom: Int) -> [String] {
    [speed, memory].flatMap { scale in
      scale.decades.flatMap { decade in
        let x = Self.pixels(scale.position(of: decade))
        return [
          #"<line class="line" x1="\#(x)" x2="\#(x)" y1="\#(Self.top - 6)" y2="\#(bottom + 6)"/>"#,
          #"<text x="\#(x)" y="\#(bottom + 22)" class="scale" text-anchor="middle">\#(Self.label(decade))</text>"#,
        ]
      }
    }
  }

  private func rows(of measurement: Measurement, at y: Int) -> [String] {
    let workers = measurement.figure.jobs.counted("worker")
    var lines = [Self.text(Int(Self.workersEnd), y + 15, workers, "note", anchor: "end")]
    guard let megabytes = report.megabytesPerSecond(measurement), let peak = measurement.peakMemory else {
      return lines + [Self.text(Int(speed.start) + 8, y + 15, measurement.failure?.reason ?? "not measured", "note")]
    }
    lines += bar(on: speed, megabytes, at: y, measurement.figure)
    if let records = report.recordsPerSecond(measurement) {
      lines.append(Self.text(Int(Self.recordsEnd), y + 15, TextReport.rounded(records), "number", anchor: "end"))
    }
    return lines + bar(on: memory, Double(peak) / 1_048_576, at: y, measurement.figure)
  }

  private func bar(on scale: LogarithmicScale, _ value: Double, at y: Int, _ figure: Figure) -> [String] {
    let end = max(scale.position(of: value), scale.start + 2)
    let (x, length) = (Self.pixels(scale.start), Self.pixels(end - scale.start))
    return [
      #"<rect class="bar" x="\#(x)" y="\#(y + 4)" width="\#(length)" height="\#(Self.row - 7)" rx="2" fill-opacity="\#(opacity(of: figure))"/>"#,
      #"<text x="\#(Self.pixels(end + 6))" y="\#(y + 15)" class="number">\#(TextReport.rounded(value))</text>"#,
    ]
  }

  /// Returns the opacity of a bar, which grows with the number of workers.
  private func opacity(of figure: Figure) -> String {
    let all = Set(report.measurements.map(\.figure.jobs)).sorted()
    guard let rank = all.firstIndex(of: figure.jobs), all.count > 1 else { return "1" }
    let percent = 50 + 50 * rank / (all.count - 1)
    return percent == 100 ? "1" : "0.\(percent)"
  }

  // MARK: Text

  private static func text(_ x: Int, _ y: Int, _ text: String, _ kind: String, anchor: String? = nil) -> String {
    let end = anchor.map { #" text-anchor="\#($0)""# } ?? ""
    return #"<text x="\#(x)" y="\#(y)" class="\#(kind)"\#(end)>\#(escaped(text))</text>"#
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// Formats a length with one decimal place.
  private static func pixels(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func label(_ decade: Double) -> String { decade < 1 ? String(decade) : Int(decade).grouped }

  // Don't use custom properties: not every renderer supports them.
  private static let style = """
      text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
      .title { font-weight: 600; font-size: 15px }
      .step { font-weight: 600 }
      .note, .scale { fill: #636c76; font-size: 12px }
      .number { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round }
      .ground { fill: #ffffff; stroke: #d8dee4 }
      .line { stroke: #d8dee4 }
      .bar { fill: #0a7f6b }
      @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 }
        .note, .scale { fill: #9198a1 }
        .number { stroke: #161b22 }
        .ground { fill: #161b22; stroke: #30363d }
        .line { stroke: #30363d }
        .bar { fill: #2dbfa3 }
      }

    """
}

/// A logarithmic scale: maps values to positions.
///
/// It ranges from the power of ten below the smallest value to the one above the largest.
struct LogarithmicScale {
  /// The start in pixels.
  let start: Double
  private let end: Double
  private let least: Int
  private let largest: Int

  /// - Parameter values: The values to cover. Values below 0.01 count as 0.01.
  init(of values: [Double], from start: Double, to end: Double) {
    self.start = start
    self.end = end
    let logarithms = values.map { log10(max($0, 0.01)) }
    let least = Int((logarithms.min() ?? 0).rounded(.down))
    self.least = least
    largest = max(least + 1, Int((logarithms.max() ?? 1).rounded(.up)))
  }

  /// The powers of ten on the scale.
  var decades: [Double] { (least...largest).map { pow(10, Double($0)) } }

  func position(of value: Double) -> Double {
    let share = (log10(max(value, 0.01)) - Double(least)) / Double(largest - least)
    return start + (end - start) * min(max(share, 0), 1)
  }
}
