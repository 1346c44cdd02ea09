import Testing

@testable import Reports

@Suite struct TextTableTests {
  private static let table = TextTable(
    [["name", "size", "note"], ["a-long-name-1.json", "12", "first"], ["b.json", "3", "second"]], rightAligned: [1])

  @Test(arguments: [
    (
      40,
      """
        name                size  note
        a-long-name-1.json    12  first
        b.json                 3  second

      """
    ),
    (
      24,
      """
        name        size  note
        a-…-1.json    12  fir…
        b.json         3  sec…

      """
    ),
    (
      15,
      """
        name     size
        a-…json    12
        b.json      3

      """
    ),
    (
      9,
      """
        name  …
        a…on  …
        b…on  …

      """
    ),
  ])
  func `a table is narrowed step by step until it fits`(width: Int, text: String) {
    let steps: [TextTable.Narrowing] = [
      .cuttingInside(column: 0, to: 10), .cutting(column: 2, to: 4), .leavingOut(column: 2), .cuttingInside(column: 0, to: 4),
    ]
    let narrowed = Self.table.text(fitting: width, by: steps)
    #expect(narrowed.split(separator: "\n").allSatisfy { $0.count <= width }, "\(narrowed)")
    #expect(narrowed == text)
  }

  @Test func `times become days, and notes continue below`() {
    let table = TextTable([
      ["created", "why"], ["2026-02-01T09:30:00Z (its name)", "the newest of its day; the newest of its month"],
    ])
    let steps: [TextTable.Narrowing] = [.days(columns: [0]), .wrapping(column: 1, to: 22)]
    #expect(table.text(fitting: 90, by: steps) == table.text)
    #expect(
      table.text(fitting: 36, by: steps) == """
          created     why
          2026-02-01  the newest of its day;
                      the newest of its
                      month

        """)
  }

  @Test func `wide characters take two columns`() {
    let table = TextTable([["name", "n"], ["花子のiPhone", "1"], ["phone", "2"]])
    #expect(table.text == "  name          n\n  花子のiPhone  1\n  phone         2\n")
    let cut = table.text(fitting: 12, by: [.cutting(column: 0, to: 7)])
    #expect(cut == "  name     n\n  花子の…  1\n  phone    2\n")
  }
}
