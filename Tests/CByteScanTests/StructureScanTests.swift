import CByteScan
import TestSupport
import Testing

@Suite struct StructureScanTests {
  private static let kernels = [COFFER_SCAN_PORTABLE, COFFER_SCAN_AVX2, COFFER_SCAN_NEON].filter { coffer_scan_supports($0) != 0 }

  /// Scans all of `bytes`, a few blocks at a time.
  private static func scan(_ bytes: [UInt8], _ kernel: coffer_scan_kernel, watching depth: UInt64 = 0, pieces seed: UInt64 = 0)
    -> coffer_scan
  {
    var random = SeededRandom(seed: seed)
    var scan = coffer_scan()
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    coffer_scan_start(&scan, kernel, hasMark ? 1 : 0)
    scan.watched = depth
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var position = 0
      while buffer.count - position >= 64 {
        let count = min(Int(random.next() % 4 + 1) * 64, (buffer.count - position) / 64 * 64)
        coffer_scan_blocks(&scan, base + position, count)
        position += count
      }
      coffer_scan_finish(&scan, base + position, buffer.count - position)
    }
    return scan
  }

  /// The same scan as a straightforward loop over bytes.
  private struct Model {
    var depth = 0
    var isSuspect = false
    var levels: [Int: (inside: Mark, latest: Mark, isArray: Bool)] = [:]
    var end: Mark?

    struct Mark: Equatable {
      var offset = 0
      var line = 1
      var column = 1
      var commas = 0

      init() {}

      init(_ mark: coffer_scan_mark) {
        offset = Int(mark.offset)
        line = Int(mark.line)
        column = Int(mark.column)
        commas = Int(mark.commas)
      }
    }

    init(_ bytes: [UInt8], watching watched: Int) {
      isSuspect = String(validating: bytes, as: UTF8.self) == nil || bytes.contains { $0 == 0x0B || $0 == 0x0C }
      var here = Mark()
      var inString = false
      var isEscaped = false
      for (index, byte) in bytes.enumerated() {
        let place = here
        if byte == UInt8(ascii: "\n") {
          here.line += 1
          here.column = 1
        } else if byte & 0xC0 != 0x80, index >= 3 || !bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
          here.column += 1
        }
        here.offset += 1
        defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
        if byte == UInt8(ascii: "\""), !isEscaped { inString.toggle() }
        if inString { continue }
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          depth += 1
          levels[depth] = (here, here, byte == UInt8(ascii: "["))
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          if depth == 0 {
            isSuspect = true
            return
          }
          if depth == watched, end == nil {
            end = place
            end?.commas = levels[depth]?.latest.commas ?? 0
          }
          depth -= 1
        case UInt8(ascii: ","):
          guard var level = levels[depth], level.isArray else { continue }
          let commas = level.latest.commas + 1
          level.latest = here
          level.latest.commas = commas
          levels[depth] = level
        default: break
        }
      }
    }
  }

  private static func document(_ seed: UInt64) -> [UInt8] {
    var document = RandomDocument(seed: seed, size: 900)
    if seed % 3 == 0 { document.damage() }
    var random = SeededRandom(seed: seed)
    // Truncated, so that containers are open where the scan ends.
    return Array(document.bytes.prefix(Int(random.next() % UInt64(document.bytes.count + 1))))
  }

  @Test(arguments: kernels) func `the scan finds the same structure as a plain loop`(kernel: coffer_scan_kernel) {
    for seed in TestDepth.cases(everyday: 300, deep: 3000) as Range<UInt64> {
      let bytes = Self.document(seed)
      let watched = seed % 4
      let scan = Self.scan(bytes, kernel, watching: watched, pieces: seed)
      let model = Model(bytes, watching: Int(watched))
      // The reader reports a truncated sequence; the scan only waits for its rest.
      let isCutOff =
        String(validating: bytes, as: UTF8.self) == nil && (scan.utf8_missing > 0 || scan.utf8_tail & 0x8080_8000 != 0)
      #expect((scan.is_suspect != 0) == model.isSuspect || isCutOff, "seed \(seed)")
      if model.isSuspect { continue }
      #expect(Int(scan.depth) == model.depth, "seed \(seed)")
      #expect(scan.end.offset == .max ? model.end == nil : model.end == Model.Mark(scan.end), "seed \(seed)")
      let levels = [scan.levels.0, scan.levels.1, scan.levels.2]
      for depth in 1...3 where depth <= model.depth {
        let level = levels[depth - 1]
        let expected = model.levels[depth]
        #expect(Model.Mark(level.inside) == expected?.inside, "seed \(seed)")
        #expect(Model.Mark(level.latest) == expected?.latest, "seed \(seed)")
        #expect((level.is_array != 0) == expected?.isArray, "seed \(seed)")
      }
    }
  }

  /// For any bytes, each kernel gives the result of the portable one.
  @Test(arguments: kernels) func `all kernels agree on any bytes`(kernel: coffer_scan_kernel) {
    let alphabets: [[UInt8]] = [
      Array("\"\\".utf8), Array("\"\\[]{},\n ".utf8), Array(0...127), Array(0...255), [0xE2, 0x82, 0xAC, 0x22],
    ]
    for seed in TestDepth.cases(everyday: 300, deep: 2000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let alphabet = alphabets[Int(seed) % alphabets.count]
      let bytes = (0..<Int(random.next() % 700)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
      var scan = Self.scan(bytes, kernel, watching: 1, pieces: seed)
      var expected = Self.scan(bytes, COFFER_SCAN_PORTABLE, watching: 1)
      // Each kernel has its own way to remember its position in a sequence.
      (scan.kernel, scan.utf8_missing, scan.utf8_low, scan.utf8_high, scan.utf8_tail) = (0, 0, 0, 0, 0)
      (expected.kernel, expected.utf8_missing, expected.utf8_low, expected.utf8_high, expected.utf8_tail) = (0, 0, 0, 0, 0)
      let isSame = withUnsafeBytes(of: &scan) { a in withUnsafeBytes(of: &expected) { b in a.elementsEqual(b) } }
      #expect(isSame, "seed \(seed)")
    }
  }

  /// Tries all combinations of three boundary bytes across the end of a block.
  @Test(arguments: kernels) func `UTF-8 is checked across blocks`(kernel: coffer_scan_kernel) {
    let interesting: [UInt8] = [
      0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1,
      0xF3,
      0xF4, 0xF5, 0xFF,
    ]
    for first in interesting {
      for second in interesting {
        for third in interesting {
          for offset in 61...64 {
            var bytes = [UInt8](repeating: UInt8(ascii: " "), count: 130)
            bytes.replaceSubrange(offset..<offset + 3, with: [first, second, third])
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect((Self.scan(bytes, kernel).is_suspect == 0) == isValid, "\(first) \(second) \(third) at \(offset)")
          }
        }
      }
    }
  }
}
