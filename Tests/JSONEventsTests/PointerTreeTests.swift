import ByteStreams
import JSONEvents
import Testing

@Suite struct PointerTreeTests {
  /// Returns the pointers, by their numbers, that a tree finds at each value, in the order of the events; values without any are left out.
  private func found(_ pointers: [[String]], in text: String, matchesItems: Bool = false) throws -> [[Int]] {
    var tree = PointerTree(pointers, matchesItems: matchesItems)
    var reader = JSONEventReader(MemorySource(text.utf8))
    var found: [[Int]] = []
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let numbers = tree.follow(reader.batch[index], of: reader.batch)
        if !numbers.isEmpty { found.append(numbers) }
      }
    }
    return found
  }

  @Test func `values are found by names, indices and, with a star, any index`() throws {
    let text = #"{"a": [{"b": 1}, {"b": [2]}], "c": {"a": 3, "b": {"a": 4}}, "a/b": 5}"#
    let pointers = [[], ["a"], ["a", "1", "b"], ["a", "1", "b", "0"], ["c", "b", "a"], ["a/b"], ["c"]]
    #expect(try found(pointers, in: text) == [[0], [1], [2], [3], [6], [4], [5]])
    #expect(
      try found([["a", "*", "b"], ["a", "0"], ["c", "a"], ["c", "a"]], in: text, matchesItems: true) == [[0], [0], [2, 3]])
    #expect(try found([["a", "*", "b"]], in: text).isEmpty)
    #expect(try found([["b"], ["a", "b"], ["c", "c"]], in: text).isEmpty)
  }

  @Test func `names are told apart by all of their bytes`() throws {
    let stem = String(repeating: "x", count: 15)
    let names = ["", "x", stem, stem + "1", stem + "2", stem + stem + "1", stem + stem + "2", "é", "e\u{301}"]
    let text = "{" + names.enumerated().map { #""\#($1)": \#($0)"# }.joined(separator: ", ") + "}"
    // A node with few names compares them, one with many looks them up.
    for count in [3, 8, names.count] {
      #expect(try found(names.prefix(count).map { [$0] }, in: text) == (0..<count).map { [$0] })
      #expect(try found(names.suffix(count).map { [$0] }, in: text) == (0..<count).map { [$0] })
    }
    let items = (0..<20).map { ["list", "\($0)"] }
    let list = #"{"list": [\#((0..<30).map(String.init).joined(separator: ","))]}"#
    #expect(try found(items, in: list) == (0..<20).map { [$0] })
    #expect(try found(items.suffix(2) + [["list", "*"]], in: #"{"list": [1, 2]}"#, matchesItems: true) == [[2], [2]])
  }
}
