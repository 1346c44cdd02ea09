import ByteStreams
import TestSupport
import Testing

@testable import JSONEvents

@Suite struct KeyComparisonTests {
  /// The places of the marked keys of a document, and of the duplicates that a set for each open object finds.
  private struct Marks: Equatable {
    var marked: [Int] = []
    var expected: [Int] = []

    init(_ document: some Sequence<UInt8>, limits: ReaderLimits = ReaderLimits(), seed: UInt64 = 1) throws {
      var reader = JSONEventReader(MemorySource(document), limits: limits, keys: KeyComparison(low: seed, high: ~seed))
      var objects: [Set<[UInt8]>] = []
      while try reader.next() {
        let batch = reader.batch
        var next = batch.firstDuplicateKey(from: 0)
        for index in 0..<batch.count {
          let event = batch[index]
          switch event.kind {
          case .objectStart: objects.append([])
          case .objectEnd: objects.removeLast()
          case .key:
            let isNew = objects[objects.count - 1].insert(batch.text(of: event).array).inserted
            if !isNew { expected.append(batch.offset(of: event)) }
          default: break
          }
          if event.isDuplicateKey {
            marked.append(batch.offset(of: event))
            #expect(index == next)
            next = batch.firstDuplicateKey(from: index + 1)
          }
        }
        #expect(next == batch.count)
      }
    }
  }

  @Test(arguments: [
    (#"{"a":1,"b":2}"#, []), (#"{"a":1,"a":2}"#, [7]), (#"{"a":1,"a":2,"a":3}"#, [7, 13]),
    (#"{"a":{"a":1},"b":[{"a":1}],"a":2}"#, [27]),
    (#"[{"a":1},{"a":1}]"#, []), (#"{"":1,"":2}"#, [6]),
    // Compared after resolving escapes, and by code points.
    (#"{"k":1,"\u006b":2}"#, [7]), (#"{"\/":1,"/":2}"#, [8]), (#"{"é":1,"e‹CC 81›":2}"#, []), (#"{"é":1,"\u00e9":2}"#, [8]),
    (#"{"a":1,"a\u0000":2,"a\u0000\u0000":3}"#, []), (#"{"\u0000":1,"":2}"#, []),
    (#"{"12345678":1,"123456789":2,"12345678\u0000":3,"12345678":4}"#, [47]),
    (#"{"1234567890123456":1,"12345678901234567":2,"1234567890123456":3,"12345678901234567":4}"#, [44, 65]),
    (#"{"the start - - - - the middle - - - - the end":1,"the start - - - - the Middle - - - - the end":2}"#, []),
    (#"{"the start - - - - the middle - - - - the end":1,"the start - - - - the middle - - - - the end":2}"#, [50]),
  ])
  func `a duplicate key of an object is marked`(document: String, offsets: [Int]) throws {
    for seed in [1, 0, .max, 0x6162_6364] as [UInt64] {
      let marks = try Marks([UInt8](document: document), seed: seed)
      #expect(marks.marked == offsets)
      #expect(marks.expected == offsets)
    }
  }

  @Test func `no key is marked unless comparison is enabled`() throws {
    var reader = JSONEventReader(MemorySource(#"{"a":1,"a":2}"#.utf8))
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        #expect(!event.isDuplicateKey)
      }
    }
  }

  /// Objects in arrays that are similar or different, with few or many keys, and with keys of every length.
  @Test(arguments: TestDepth.cases(everyday: 10, deep: 30) as Range<UInt64>)
  func `marked keys are those that a set for each object finds`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let poolSize = [3, 40, 70, 600][below(4)]
    let pool = (0..<poolSize).map { index in
      let word = ["\(index)", "key \(index)", "a longer name of a member, number \(index)"][below(3)]
      return word + String(repeating: ["x", "\\n", "é"][below(3)], count: below(30))
    }
    let repeatsThemselves = below(2) == 0
    func object(_ depth: Int) -> String {
      let count = below([2, 12, 60, 66, 300][below(5)]) / depth + 1
      var members: [String] = []
      for index in 0..<count {
        let key = repeatsThemselves && below(20) > 0 ? pool[index % poolSize] : pool[below(poolSize)]
        let value = depth < 4 && below(count) < 2 ? (below(2) == 0 ? object(depth + 1) : "[\(object(depth + 1))]") : "0"
        members.append("\"\(key)\":\(value)")
      }
      return "{\(members.joined(separator: ","))}"
    }
    let document = Array("[\((0..<12).map { _ in object(1) }.joined(separator: ","))]".utf8)
    let whole = try Marks(document, seed: seed)
    #expect(whole.marked == whole.expected)
    #expect(!whole.marked.isEmpty || poolSize > 3)
    for chunkSize in [1, 100] {
      #expect(try Marks(document, limits: ReaderLimits(chunkSize: chunkSize), seed: seed) == whole)
    }
  }

  /// `pad` brackets enclose an object with `limit` keys, followed by a new key twice and the first and last key again.
  @Test(arguments: [(0, 1 << 20), (7, 70_000), (8, 1 << 12), (100, 1 << 12)])
  func `a key is compared with a limited number of others`(pad: Int, limit: Int) throws {
    let keys = (0..<limit).map { "\"\($0)\":0" }.joined(separator: ",")
    let open = String(repeating: "[", count: pad) + "{" + keys
    let text = open + #","x":0,"x":0,"0":0,"\#(limit - 1)":0}"# + String(repeating: "]", count: pad)
    var marks: [Int] = []
    var reader = JSONEventReader(MemorySource(text.utf8), limits: ReaderLimits(), keys: KeyComparison(low: 1, high: 2))
    while try reader.next() {
      var index = reader.batch.firstDuplicateKey(from: 0)
      while index < reader.batch.count {
        marks.append(reader.batch.offset(of: reader.batch[index]))
        index = reader.batch.firstDuplicateKey(from: index + 1)
      }
    }
    let rest = (open + #","x":0,"#).utf8.count
    let isPastLimit = limit != 70_000
    #expect(marks == (isPastLimit ? [rest + 6, rest + 12] : [rest, rest + 6, rest + 12]))
  }
}
