public import ByteStreams

/// LZ4 data, decoded as it is read.
///
/// Everything that LZ4 Frame Format 1.6.4 allows is read: blocks of every size, linked and independent, with and without checksums, skippable frames,
/// frames one behind the other, and legacy frames; only what needs a dictionary is refused. Every checksum and size that is there is checked.
///
/// For example:
///
///     var source = try LZ4Source.detecting(try FileSource(path: "export.json.lz4"))
///     let report = try validator.validate(source, named: "export.json.lz4")
///
/// Cost: one pass. Memory: for blocks of 4 MiB, which is the largest, some 12 MiB; for legacy frames 16 MiB more; whatever headers claim.
///
/// Errors: `lz4Corrupt`, `lz4Truncated`, `lz4Unsupported` with the place in the compressed stream, `notLZ4`, and those of the source.
public final class LZ4Source: ByteSource {
  let input: CompressedInput
  var frames: FrameSequence
  var current: Current?
  private let decoder = FrameDecoder()
  private lazy var legacy = LegacyDecoder()
  private var failure: ByteStreamError?
  private var isAtEnd = false

  /// The frame that is being read.
  enum Current {
    case standard(FrameHeader, isBegun: Bool)
    case legacy(number: Int)
  }

  public convenience init(_ source: some ByteSource) { self.init(source, prefix: []) }

  /// - Parameter prefix: what was already read from `source`.
  init(_ source: any ByteSource, prefix: [UInt8]) {
    input = CompressedInput(source, prefix: prefix)
    frames = FrameSequence(input)
  }

  /// What `source` holds: decoded if its first four bytes say that it is LZ4 data, else as it is.
  ///
  /// No JSON begins with such bytes. Reads those four from `source`, and waits for them.
  public static func detecting(_ source: some ByteSource) throws(ByteStreamError) -> any ByteSource {
    var source = source
    let prefix = try source.readPrefix(4)
    let number = prefix.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    if prefix.count == 4, FrameSequence.isMagic(number) { return LZ4Source(source, prefix: prefix) }
    return PrefixedSource(prefix: prefix, rest: source)
  }

  /// Whether a file's name says that it holds LZ4 data: it ends in `.lz4`, in letters of either case.
  public static func isNamed(by name: String) -> Bool { name.lowercased().hasSuffix(".lz4") }

  /// How many bytes of compressed data have been decoded so far.
  public var bytesRead: Int { input.offset }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    try orFail { () throws(ByteStreamError) in
      while try isWithinFrame() {
        let count = try readFrame(into: buffer)
        if count > 0 { return count }
      }
      return 0
    }
  }

  /// What has failed once fails again.
  func orFail<R>(_ body: () throws(ByteStreamError) -> R) throws(ByteStreamError) -> R {
    if let failure { throw failure }
    do throws(ByteStreamError) {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }

  /// Goes on to the next frame if none is being read; false at the stream's end.
  func isWithinFrame() throws(ByteStreamError) -> Bool {
    if current != nil { return true }
    if isAtEnd { return false }
    switch try frames.next() {
    case .standard(let header): current = .standard(header, isBegun: false)
    case .legacy(let number): current = .legacy(number: number)
    case nil: isAtEnd = true
    }
    return !isAtEnd
  }

  /// Reads on in the current frame; 0 at its end, when there is none any more.
  func readFrame(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    var count = 0
    switch current {
    case .standard(let header, let isBegun):
      if !isBegun {
        decoder.begin(header)
        current = .standard(header, isBegun: true)
      }
      count = try decoder.read(into: buffer, from: input)
      if decoder.isAtEnd {
        frames.add(decoder.content)
        current = nil
      }
    case .legacy(let number):
      count = try legacy.read(into: buffer, from: input, frame: number)
      if count == 0 { current = nil }
    case nil: break
    }
    return count
  }
}
