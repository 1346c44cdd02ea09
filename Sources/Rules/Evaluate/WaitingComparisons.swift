import ByteStreams
import JSONEvents
import SystemPackage

/// Comparisons that wait for places addressed from the root, spilled to a temporary file if there are many.
///
///     log      | length, 8 bytes | count of rules, 8 | their numbers, 8 each | bytes of the log | log | …
struct WaitingComparisons: ~Copyable {
  private let folder: FilePath
  private var file: SpillFile?
  private var chain: SpillFile.Chain?
  private(set) var rules: [WaitingLog.Rule] = []

  /// - Parameter folder: the folder for the file, which is created when needed.
  init(in folder: FilePath) { self.folder = folder }

  /// Appends the next comparisons.
  mutating func append(_ log: WaitingLog) throws(CofferError) {
    try append(log.bytes, rules: log.rules.map { add($0) })
  }

  /// Appends comparisons that wait elsewhere.
  mutating func append(_ other: borrowing WaitingComparisons) throws(CofferError) {
    let numbers = other.rules.map { add($0) }
    try other.forEachLog { rules, bytes throws(CofferError) in try append(bytes, rules: rules.map { numbers[$0] }) }
  }

  /// Appends the bytes of a log, whose rules have these numbers here.
  mutating func append(_ bytes: [UInt8], rules numbers: [Int]) throws(CofferError) {
    let file: SpillFile
    if let known = self.file { file = known } else { file = try SpillFile(in: folder) }
    let chain = self.chain ?? file.makeChain()
    (self.file, self.chain) = (file, chain)
    var header = RecordBuffer()
    header.append(UInt64(bytes.count), length: 8)
    header.append(UInt64(numbers.count), length: 8)
    for number in numbers { header.append(UInt64(number), length: 8) }
    try header.withBytes { (bytes) throws(CofferError) in try file.append(bytes, to: chain) }
    var result: Result<Void, CofferError> = .success(())
    bytes.withUnsafeBytes { bytes in
      do throws(CofferError) { try file.append(bytes, to: chain) } catch { result = .failure(error) }
    }
    try result.get()
  }

  /// Returns the number of a rule, and adds it if it is new.
  mutating func add(_ rule: WaitingLog.Rule) -> Int {
    if let known = rules.firstIndex(where: { $0.isSame(as: rule) }) {
      rules[known].add(rule.extremes)
      return known
    }
    rules.append(rule)
    return rules.count - 1
  }

  /// Calls `body` with the comparisons, log by log, in the order of appending.
  ///
  /// - Throws: an error of the temporary file.
  func forEach(_ body: (WaitingLog.Rule, DataValue, String, WaitingLog.Place) -> Void) throws(CofferError) {
    try forEachLog { numbers, bytes throws(CofferError) in
      let isWhole = WaitingLog.read(bytes) { number, value, excerpt, place in
        guard numbers.indices.contains(number) else { return false }
        body(rules[numbers[number]], value, excerpt, place)
        return true
      }
      if !isWhole, let file { throw file.damaged }
    }
  }

  /// Calls `body` with the numbers of each log's rules, and its bytes, in the order of appending.
  ///
  /// - Throws: an error of the temporary file, or what `body` throws.
  func forEachLog(_ body: (_ rules: [Int], _ bytes: [UInt8]) throws(CofferError) -> Void) throws(CofferError) {
    guard let file, let chain else { return }
    var offset = 0
    while true {
      let header = try Self.read(16, of: chain, at: offset, from: file)
      if header.isEmpty { break }
      guard header.count == 16, let length = Int(exactly: Self.word(header[..<8])),
        let count = Int(exactly: Self.word(header[8...])),
        count <= rules.count
      else { throw file.damaged }
      let numbers = try Self.read(8 * count, of: chain, at: offset + 16, from: file)
      let bytes = try Self.read(length, of: chain, at: offset + 16 + 8 * count, from: file)
      guard bytes.count == length, numbers.count == 8 * count else { throw file.damaged }
      let rows = (0..<count).map { Self.word(numbers[(8 * $0)..<(8 * $0 + 8)]) }
      guard rows.allSatisfy({ $0 < UInt64(rules.count) }) else { throw file.damaged }
      try body(rows.map { Int($0) }, bytes)
      offset += 16 + 8 * count + length
    }
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  private static func read(
    _ count: Int, of chain: SpillFile.Chain, at offset: Int, from file: SpillFile
  ) throws(CofferError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      var result: Result<Int, CofferError> = .success(0)
      bytes.withUnsafeMutableBytes { buffer in
        do throws(CofferError) {
          result = .success(
            try file.read(chain, at: offset + filled, into: UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(filled))))
        } catch { result = .failure(error) }
      }
      let next = try result.get()
      if next == 0 { break }
      filled += next
    }
    return Array(bytes.prefix(filled))
  }
}
