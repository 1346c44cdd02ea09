package import ByteStreams
import Foundation
import JSONEvents

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
        throw CofferError(.invalidScan, "\(name):\(index + 1): this is not a scan of coffer split scan", underlying: error)
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
    throw CofferError(
      .planMismatch,
      name.map { "there are scans of \($0), which is not in the plan" }
        ?? "the scan of \(left[0].rangeText) names no file, but the plan has several: scan with --name")
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
}
