package import ByteStreams
import Foundation
package import JSONEvents

/// The scan of a range of a file, made by a process that has only these bytes.
///
///     … : "C:\\ \\ temp …     … dir\ \\", …
///             |<-    range    ->|
///             \\t   summary    \              head, summary and tail
///
/// A summary can't begin after a backslash, and this process doesn't know what precedes the range. So it leaves out the range's
/// first backslashes and the byte after them, and its last backslashes. The process that joins the ranges scans these.
///
/// As JSON, in less than a kilobyte:
///
///     {"file":"export.json","head":[1,116],"range":[64,192],"summary":{…},"tail":1}
///     {"file":"export.ndjson","lines":[…],"range":[64,192]}
package struct RangeScan: Sendable, Equatable {
  /// Bytes at the start of a range.
  struct Head: Sendable, Equatable {
    var backslashCount = 0
    /// The byte after the backslashes, or `nil` if the range has no other.
    var byte: UInt8?

    var byteCount: Int { backslashCount + (byte == nil ? 0 : 1) }

    /// The summary of these bytes, if no backslash precedes them.
    var summary: RangeSummary {
      // The offset of a range decides only whether it may begin with a byte order mark.
      var scanner = RangeScanner(from: 1)
      scanner.consume(backslashes: backslashCount)
      if let byte { withUnsafeBytes(of: byte) { scanner.consume($0) } }
      return scanner.finish()
    }
  }

  enum Content: Sendable, Equatable {
    /// JSON. The head is `nil` at the document's start.
    case json(head: Head?, RangeSummary, tail: Int)
    case lines(LineSummary)
  }

  /// The name of the file, or `nil` if the plan has only one.
  package let file: String?
  package let range: Range<Int>
  let content: Content

  /// The largest offset.
  static let limit = 1 << 52

  /// Returns whether a range may begin at `offset`: not where it would cut a byte order mark.
  package static func canBegin(at offset: Int) -> Bool { offset == 0 || (3...limit).contains(offset) }

  /// Scans a range.
  ///
  /// Cost: that of `RangeScanner`, on this thread. Memory: 1 MiB.
  ///
  /// - Parameters:
  ///   - source: the range's bytes.
  ///   - start: the offset of its first byte, at which a range may begin.
  ///   - end: the offset after its last byte, or `nil` if the source ends there.
  ///   - file: the name of the file.
  /// - Throws: `planMismatch` if there are no bytes, fewer or more; errors of the source; `cancelled`.
  package init(
    of source: some ByteSource, from start: Int, to end: Int?, in file: String?, syntax: JSONSyntax, cancellation: Cancellation?
  ) throws(CofferError) {
    precondition(Self.canBegin(at: start), "a range begins in a byte order mark")
    var source = source
    var scanner = EdgeScanner(isStart: start == 0)
    var lines = LineSummary()
    var count = 0
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { piece.deallocate() }
    while true {
      if cancellation?.isRequested == true { throw CofferError(.cancelled, "the scan was cancelled") }
      // A full piece, so that a byte order mark is in the first one.
      var length = 0
      while length < piece.count {
        let more = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: piece[length...]))
        if more == 0 { break }
        length += more
      }
      if length == 0 { break }
      let bytes = UnsafeRawBufferPointer(rebasing: piece[..<length])
      switch syntax {
      case .json: scanner.consume(bytes)
      case .sequence: throw CofferError(.scanSyntax, "a sequence can't be scanned in ranges")
      case .jsonLines: lines.append(LineSummary(of: bytes, isStart: start == 0 && count == 0))
      }
      count += length
      if let end, count > end - start { break }
    }
    if let end, count != end - start {
      throw CofferError(
        .planMismatch,
        "the input has \(count > end - start ? "more than" : "only \(count) of") the \(end - start) bytes of \(start)-\(end)")
    }
    if count == 0 { throw CofferError(.planMismatch, "the input has no bytes from \(start) on") }
    self.file = file
    range = start..<start + count
    content = syntax == .json ? scanner.finish() : .lines(lines)
  }
}

/// Scans a range without its edges.
private struct EdgeScanner: ~Copyable {
  private var head: RangeScan.Head?
  private var scanner: RangeScanner
  private var tail = 0

  init(isStart: Bool) {
    head = isStart ? nil : RangeScan.Head()
    scanner = RangeScanner(from: isStart ? 0 : 1)
  }

  mutating func consume(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    if var head, head.byte == nil {
      let backslashes = rest.prefix { $0 == UInt8(ascii: "\\") }
      head.backslashCount += backslashes.count
      rest = rest.dropFirst(backslashes.count)
      head.byte = rest.popFirst()
      self.head = head
    }
    guard let last = rest.lastIndex(where: { $0 != UInt8(ascii: "\\") }) else {
      tail += rest.count
      return
    }
    scanner.consume(backslashes: tail)
    scanner.consume(UnsafeRawBufferPointer(rebasing: rest[...last]))
    tail = rest.endIndex - last - 1
  }

  consuming func finish() -> RangeScan.Content { .json(head: head, scanner.finish(), tail: tail) }
}

extension RangeScanner {
  fileprivate mutating func consume(backslashes count: Int) {
    if count == 0 { return }
    let piece = [UInt8](repeating: UInt8(ascii: "\\"), count: min(count, 1 << 16))
    var rest = count
    while rest > 0 {
      piece.withUnsafeBytes { consume(UnsafeRawBufferPointer(rebasing: $0.prefix(rest))) }
      rest -= min(rest, piece.count)
    }
  }
}

extension RangeScan: Codable {
  private enum CodingKeys: CodingKey { case file, range, head, summary, tail, lines }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(file, forKey: .file)
    try members.encode([range.lowerBound, range.upperBound], forKey: .range)
    switch content {
    case .lines(let summary): try members.encode(summary, forKey: .lines)
    case .json(let head, let summary, let tail):
      try members.encodeIfPresent(head.map { [$0.backslashCount] + ($0.byte.map { [Int($0)] } ?? []) }, forKey: .head)
      try members.encode(summary, forKey: .summary)
      if tail > 0 { try members.encode(tail, forKey: .tail) }
    }
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    func damage(_ key: CodingKeys) -> DecodingError {
      .dataCorruptedError(forKey: key, in: members, debugDescription: "no scan of a range has this value")
    }
    file = try members.decodeIfPresent(String.self, forKey: .file)
    let bounds = try members.decode([Int].self, forKey: .range)
    guard bounds.count == 2, Self.canBegin(at: bounds[0]), bounds[0] < bounds[1], bounds[1] <= Self.limit else {
      throw damage(.range)
    }
    range = bounds[0]..<bounds[1]
    if let summary = try members.decodeIfPresent(LineSummary.self, forKey: .lines) {
      guard summary.extent.byteCount == range.count else { throw damage(.lines) }
      content = .lines(summary)
      return
    }
    var head: Head?
    if let list = try members.decodeIfPresent([Int].self, forKey: .head) {
      guard (1...2).contains(list.count), (0...range.count).contains(list[0]), list.dropFirst().allSatisfy({ 0...255 ~= $0 })
      else {
        throw damage(.head)
      }
      head = Head(backslashCount: list[0], byte: list.dropFirst().first.map { UInt8($0) })
    }
    guard (head == nil) == (range.lowerBound == 0) else { throw damage(.head) }
    let tail = try members.decodeIfPresent(Int.self, forKey: .tail) ?? 0
    let summary = try members.decode(RangeSummary.self, forKey: .summary)
    guard (0...range.count).contains(tail), (head?.byteCount ?? 0) + summary.extent.byteCount + tail == range.count else {
      throw damage(.summary)
    }
    // Without another byte, all backslashes are in the head.
    if let head, head.byte == nil, head.backslashCount != range.count { throw damage(.head) }
    content = .json(head: head, summary, tail: tail)
  }
}

/// The scans of all ranges of the files of a plan, made by other processes.
package struct RangeScans {
  /// By the files' names; `nil` for scans without a file name.
  private var scans: [String?: [RangeScan]] = [:]

  package init() {}

  /// The largest list of scans that is read.
  private static let sizeLimit = 1 << 30

  /// Adds scans in any order: one in each line.
  ///
  /// - Throws: `invalidScan` if a line isn't a scan; errors of the source.
  package mutating func read(_ source: some ByteSource, named name: String) throws(CofferError) {
    var source = source
    let bytes = try source.readPrefix(Self.sizeLimit + 1)
    if bytes.count > Self.sizeLimit { throw CofferError(.invalidScan, "\(name) is larger than the limit of 1 GiB for scans") }
    let decoder = JSONDecoder()
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
    where line.contains(where: { !" \t\r".utf8.contains($0) }) {
      do {
        let scan = try decoder.decode(RangeScan.self, from: Data(line))
        scans[scan.file, default: []].append(scan)
      } catch {
        throw CofferError(.invalidScan, "\(name):\(index + 1): this is not a scan", underlying: error)
      }
    }
  }

  /// Removes and returns the scans of a file, in the order of their ranges.
  ///
  /// - Returns: `nil` if there are none.
  /// - Throws: `planMismatch` if they don't have each byte of the file once.
  mutating func remove(of name: String, isOnlyFile: Bool, byteCount: Int) throws(CofferError) -> [RangeScan]? {
    var found = scans.removeValue(forKey: name) ?? []
    if isOnlyFile { found += scans.removeValue(forKey: nil) ?? [] }
    if found.isEmpty { return nil }
    found.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    var end = 0
    for (index, scan) in found.enumerated() {
      if scan.range.lowerBound < end {
        throw CofferError(
          .planMismatch,
          "\(name): the scans of \(found[index - 1].rangeText) and \(scan.rangeText) overlap: pass only one of them")
      }
      if scan.range.lowerBound > end {
        throw CofferError(.planMismatch, "\(name): bytes \(end)-\(scan.range.lowerBound) have not been scanned")
      }
      end = scan.range.upperBound
    }
    if end < byteCount { throw CofferError(.planMismatch, "\(name): bytes \(end)-\(byteCount) have not been scanned") }
    if end > byteCount {
      throw CofferError(.planMismatch, "\(name): the scans end at byte \(end), but the file has \(byteCount) bytes")
    }
    return found
  }

  /// - Throws: `planMismatch` if there are scans of files that the plan doesn't have.
  func checkIsEmpty() throws(CofferError) {
    guard let (name, left) = scans.min(by: { ($0.key ?? "") < ($1.key ?? "") }) else { return }
    guard let name else {
      throw CofferError(.unnamedScan, "the scan of \(left[0].rangeText) names no file, but the plan has several")
    }
    throw CofferError(.planMismatch, "there are scans of \(name), which is not in the plan")
  }
}

extension RangeScan {
  fileprivate var rangeText: String { "\(range.lowerBound)-\(range.upperBound)" }

  /// Returns the summaries of adjacent ranges of JSON from a document's start. Each one begins after the backslashes at its range's start
  /// and the byte after them.
  ///
  /// - Returns: `nil` if these are ranges of JSON Lines.
  static func summaries(of scans: [RangeScan]) -> [RangeSummary]? {
    var summaries: [RangeSummary] = []
    // The backslashes that end the ranges so far, and the range that they begin in.
    var backslashCount = 0
    var owner = 0
    for scan in scans {
      guard case .json(let head, let summary, let tail) = scan.content else { return nil }
      summaries.append(RangeSummary())
      let index = summaries.count - 1
      if var head {
        if backslashCount == 0 { owner = index }
        head.backslashCount += backslashCount
        backslashCount = 0
        if head.byte == nil { backslashCount = head.backslashCount } else { summaries[owner].append(head.summary) }
      }
      summaries[index].append(summary)
      if tail > 0 {
        owner = index
        backslashCount = tail
      }
    }
    if backslashCount > 0 { summaries[owner].append(Head(backslashCount: backslashCount).summary) }
    return summaries
  }

  /// Returns the summaries of ranges of JSON Lines, or `nil` if these are of JSON.
  static func lineSummaries(of scans: [RangeScan]) -> [LineSummary]? {
    var summaries: [LineSummary] = []
    for scan in scans {
      guard case .lines(let summary) = scan.content else { return nil }
      summaries.append(summary)
    }
    return summaries
  }
}

extension CofferError.Code {
  /// A scan of a range is malformed.
  public static let invalidScan = Self(rawValue: "invalid-scan")
  /// A scan of a range names no file, and the plan has several.
  public static let unnamedScan = Self(rawValue: "unnamed-scan")
  /// The ranges of a file were scanned as another syntax.
  public static let scanSyntax = Self(rawValue: "scan-syntax")
}
