import Testing

@testable import Rules

@Suite struct DurationTextTests {
  @Test(arguments: [
    "P4DT12H30M5S", "P1Y2M3DT4H5M6S", "P1Y", "P1Y2M", "P1M", "P1M2D", "P1D", "P0D", "P2W", "PT1H", "PT1H2M", "PT1H2M3S", "PT1M",
    "PT1M2S", "PT36H", "PT0S", "P1DT12H", "P1YT1S", "P1MT1M", "P007D", "P99999999999999999999999999Y", "p1dt2h",
  ])
  func `durations with units in order are accepted`(text: String) {
    #expect(StringFormat.duration.accepts(text))
  }

  @Test(arguments: [
    "", "P", "PT", "P1", "PT1", "P1YT", "P1DT", "1D", "4DT12H30M5S", "PT1D", "P1H", "P2S", "P1D2H", "P2D1Y", "P2D1M", "P1Y2D",
    "PT1H2S", "PT2S1M", "P1Y2Y", "P1Y2W", "P1W2D", "P2WT1H", "PT2W", "P1.5D", "PT0.5S", "P-1D", "-P1D", "+P1D", "P1D ", " P1D",
    "P 1D", "P1D\n", "P1D\0", "P২Y", "P1Д", "PD", "PTS", "P1DT1H1H", "P1DTT1H", "TP1D", "PP1D",
  ])
  func `malformed text is not a duration`(text: String) {
    #expect(!StringFormat.duration.accepts(text))
  }
}
