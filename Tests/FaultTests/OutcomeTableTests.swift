import Testing

@Suite struct OutcomeTableTests {
  @Test func `outcomes are counted by row`() {
    var table = OutcomeTable()
    table.add(row: "write: kill", outcome: .before, wasReached: true, hasComplaints: false)
    table.add(row: "write: kill", outcome: .before, wasReached: true, hasComplaints: false)
    table.add(row: "write: kill", outcome: .neither, wasReached: true, hasComplaints: true)
    table.add(row: "at before-commit: EIO", outcome: .after, wasReached: true, hasComplaints: false)
    table.add(row: "at before-commit: EIO", outcome: .after, wasReached: false, hasComplaints: false)
    #expect(
      table.text(title: "fault") == """
        fault                   trials   before  between    after  neither   missed    wrong
        at before-commit: EIO        2                          1                 1
        write: kill                  3        2                          1                 1
        total                        5        2                 1        1        1        1
        """)
  }
}
