import Testing

@testable import CofferBench

@Suite struct ThroughputPictureTests {
  @Test func `each figure is a bar with its number`() {
    let svg = ThroughputPicture(of: .sample).svg
    #expect(svg == Self.recorded)
  }

  @Test func `a report without measurements has a picture without bars`() {
    let nothing = ThroughputReport(
      file: "a.json", survey: ThroughputReport.sample.survey, machine: ThroughputReport.machine, rounds: 1, measurements: [])
    let svg = ThroughputPicture(of: nothing).svg
    #expect(svg.hasSuffix("</svg>\n"))
    #expect(!svg.contains("nan") && !svg.contains("class=\"bar\""))
  }

  private static let recorded = #"""
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 292" width="900" height="292" role="img"
         aria-label="Throughput and peak memory of each step">
    <style>
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
    </style>
    <rect class="ground" x="0.5" y="0.5" width="899" height="291" rx="8"/>
    <text x="20" y="30" class="title">a&lt;b&gt;.json: 1,000 MB, 3,012,345 records</text>
    <text x="880" y="30" class="note" text-anchor="end">Linux x86_64 with 2 processors</text>
    <text x="196" y="64" class="note">MB per second (logarithmic; longer is better)</text>
    <text x="596" y="64" class="note" text-anchor="end">records per second</text>
    <text x="640" y="64" class="note">peak MiB (logarithmic; shorter is better)</text>
    <line class="line" x1="196.0" x2="196.0" y1="78" y2="262"/>
    <text x="196.0" y="278" class="scale" text-anchor="middle">10</text>
    <line class="line" x1="277.3" x2="277.3" y1="78" y2="262"/>
    <text x="277.3" y="278" class="scale" text-anchor="middle">100</text>
    <line class="line" x1="358.7" x2="358.7" y1="78" y2="262"/>
    <text x="358.7" y="278" class="scale" text-anchor="middle">1,000</text>
    <line class="line" x1="440.0" x2="440.0" y1="78" y2="262"/>
    <text x="440.0" y="278" class="scale" text-anchor="middle">10,000</text>
    <line class="line" x1="640.0" x2="640.0" y1="78" y2="262"/>
    <text x="640.0" y="278" class="scale" text-anchor="middle">1</text>
    <line class="line" x1="738.0" x2="738.0" y1="78" y2="262"/>
    <text x="738.0" y="278" class="scale" text-anchor="middle">10</text>
    <line class="line" x1="836.0" x2="836.0" y1="78" y2="262"/>
    <text x="836.0" y="278" class="scale" text-anchor="middle">100</text>
    <text x="20" y="99" class="step">validate</text>
    <text x="184" y="99" class="note" text-anchor="end">1 worker</text>
    <rect class="bar" x="196.0" y="88" width="109.5" height="15" rx="2" fill-opacity="0.50"/>
    <text x="311.5" y="99" class="number">222</text>
    <text x="596" y="99" class="number" text-anchor="end">669,000</text>
    <rect class="bar" x="640.0" y="88" width="148.8" height="15" rx="2" fill-opacity="0.50"/>
    <text x="794.8" y="99" class="number">33</text>
    <text x="184" y="121" class="note" text-anchor="end">2 workers</text>
    <rect class="bar" x="196.0" y="110" width="130.3" height="15" rx="2" fill-opacity="1"/>
    <text x="332.3" y="121" class="number">400</text>
    <text x="596" y="121" class="number" text-anchor="end">1,200,000</text>
    <rect class="bar" x="640.0" y="110" width="155.9" height="15" rx="2" fill-opacity="1"/>
    <text x="801.9" y="121" class="number">39</text>
    <text x="20" y="153" class="step">decompress</text>
    <text x="184" y="153" class="note" text-anchor="end">2 workers</text>
    <rect class="bar" x="196.0" y="142" width="237.6" height="15" rx="2" fill-opacity="1"/>
    <text x="439.6" y="153" class="number">8,330</text>
    <text x="596" y="153" class="number" text-anchor="end">25,100,000</text>
    <rect class="bar" x="640.0" y="142" width="153.7" height="15" rx="2" fill-opacity="1"/>
    <text x="799.7" y="153" class="number">37</text>
    <text x="20" y="185" class="step">import</text>
    <text x="184" y="185" class="note" text-anchor="end">2 workers</text>
    <text x="204" y="185" class="note">refused</text>
    <text x="20" y="217" class="step">merge</text>
    <text x="184" y="217" class="note" text-anchor="end">2 workers</text>
    <text x="204" y="217" class="note">no database</text>
    <text x="20" y="249" class="step">export</text>
    <text x="184" y="249" class="note" text-anchor="end">2 workers</text>
    <rect class="bar" x="196.0" y="238" width="2.0" height="15" rx="2" fill-opacity="1"/>
    <text x="204.0" y="249" class="number">10</text>
    <text x="596" y="249" class="number" text-anchor="end">30,100</text>
    <rect class="bar" x="640.0" y="238" width="93.5" height="15" rx="2" fill-opacity="1"/>
    <text x="739.5" y="249" class="number">9.0</text>
    </svg>

    """#
}
