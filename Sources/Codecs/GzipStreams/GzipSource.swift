public import ByteStreams

/// Gzip data, decoded as it is read (RFC 1952).
///
///     1F 8B 08 │ flags │ time (4) │ XFL │ OS │ extra? │ name? │ comment? │ CRC-16 of the header? │ Deflate data │ CRC-32 │ size (4)
///
/// Reads several members as one document, and verifies the checksum and the size of each. Zeros after the last member are padding, as for
/// the `gzip` program. Data that was truncated between two members is complete for every reader: the format doesn't tell.
///
/// For example:
///
///     let source = GzipSource(try FileSource(path: "export.json.gz"))
///     let report = try validator.validate(source, named: "export.json.gz")
///
/// Cost: one pass. Memory: about 300 KiB.
///
/// Errors: `gzipCorrupt`, `gzipTruncated`, `gzipUnsupported` with the position in the compressed data, `notGzip`, `limit`, and those of
/// the source.
public final class GzipSource: ByteSource {
  private let input: LookaheadInput
  private let inflater = Inflater()
  private var meter: ExpansionMeter
  package var failure: CofferError?
  /// The number of members that began.
  private var members = 0
  package private(set) var isBeforeChecksum = false
  private var isAtEnd = false
  package var onDamage: ((CofferError) -> Void)?
  /// True if blocks of the member were passed, so that its size and checksum don't fit.
  private var lacksBlocks = false
  /// The error to throw next.
  private var delayed: CofferError?

  /// - Parameters:
  ///   - source: the gzip data.
  ///   - limits: the maximum size of the content.
  public init(_ source: some ByteSource, limits: ExpansionLimits = ExpansionLimits()) {
    input = LookaheadInput(source)
    meter = ExpansionMeter(.gzip, limits)
  }

  /// The first two bytes of each member.
  package static let magic: [UInt8] = [0x1F, 0x8B]

  /// The number of compressed bytes decoded so far.
  public var bytesRead: Int { input.offset }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    try readContent(into: buffer)
  }

  /// The place of the next compressed byte.
  private var place: FramePlace { FramePlace(.gzip, frame: members, offset: input.offset) }

  private func truncated(_ part: String) -> CofferError {
    place.at(input.end).truncated("it ends within \(part)")
  }

  /// Begins the next member unless one is open. Returns false at the end of the data.
  package func beginFrame() throws(CofferError) -> Bool {
    if isBeforeChecksum || delayed != nil { return true }
    if isAtEnd { return false }
    let isFirst = members == 0
    input.beginFrame()
    let start = FramePlace(.gzip, frame: members + 1, offset: input.offset)
    guard try input.have(1), isFirst || input.available[0] != 0 else {
      if isFirst { throw Self.notGzip }
      try skipPadding()
      isAtEnd = true
      return false
    }
    let hasMagic = try input.have(2) && input.available.prefix(2).elementsEqual(Self.magic)
    guard hasMagic else {
      if isFirst { throw Self.notGzip }
      let isCut = input.available.count == 1 && input.available[0] == Self.magic[0]
      throw isCut
        ? start.at(input.end).truncated("it ends within a member's header")
        : start.corrupt("bytes after the last member are not gzip data")
    }
    members += 1
    try passHeader(at: start)
    inflater.reset()
    isBeforeChecksum = true
    lacksBlocks = false
    return true
  }

  private static var notGzip: CofferError {
    CofferError(.notGzip, "not gzip data: it does not begin with a member's magic number", at: .init(inputOffset: 0))
  }

  private func skipPadding() throws(CofferError) {
    while try input.have(1) {
      let zeros = input.available.prefix { $0 == 0 }.count
      input.consume(zeros)
      if try input.have(1), input.available[0] != 0 {
        throw FramePlace(.gzip, frame: members + 1, offset: input.offset).corrupt("bytes after the last member are not gzip data")
      }
    }
  }

  package func passDamage() throws(CofferError) -> Bool {
    let mayContinue = isBeforeChecksum || members == 0
    isAtEnd = try !input.passFrame(toStart: 4) { bytes in
      bytes.prefix(2).elementsEqual(Self.magic) && bytes[2] == 8 && Flags(rawValue: bytes[3]).isDisjoint(with: .reserved)
        || mayContinue && bytes.elementsEqual(Self.flush)
    }
    isBeforeChecksum = !isAtEnd && input.available.prefix(4).elementsEqual(Self.flush)
    if isBeforeChecksum {
      // What follows may need no earlier content: so do the pieces of a member that Coffer wrote.
      input.consume(4)
      inflater.reset()
      lacksBlocks = true
    }
    return !isAtEnd
  }

  /// The end of an empty stored block, which lets the next block begin at a whole byte.
  private static let flush: [UInt8] = [0, 0, 0xFF, 0xFF]

  // MARK: The header

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let checksum = Flags(rawValue: 2)
    static let extra = Flags(rawValue: 4)
    static let name = Flags(rawValue: 8)
    static let comment = Flags(rawValue: 16)
    static let reserved = Flags(rawValue: 0xE0)
  }

  private func passHeader(at start: FramePlace) throws(CofferError) {
    guard try input.have(10) else { throw truncated("a member's header") }
    let method = input.available[2]
    let flags = Flags(rawValue: input.available[3])
    guard method == 8 else { throw start.unsupported("compression method \(method) is unknown") }
    guard flags.isDisjoint(with: .reserved) else { throw start.corrupt("the member's header has reserved bits set") }
    var checksum = CRC32()
    pass(10, &checksum)
    if flags.contains(.extra) {
      guard try input.have(2) else { throw truncated("a member's header") }
      let size = Int(input.available[0]) | Int(input.available[1]) << 8
      guard try input.have(2 + size) else { throw truncated("a member's header") }
      pass(2 + size, &checksum)
    }
    if flags.contains(.name) { try passText(&checksum) }
    if flags.contains(.comment) { try passText(&checksum) }
    if flags.contains(.checksum) {
      guard try input.have(2) else { throw truncated("a member's header") }
      let stored = UInt32(input.available[0]) | UInt32(input.available[1]) << 8
      guard stored == checksum.value & 0xFFFF else { throw start.corrupt("the checksum of the member's header does not match") }
      input.consume(2)
    }
  }

  private func pass(_ count: Int, _ checksum: inout CRC32) {
    checksum.add(UnsafeRawBufferPointer(rebasing: input.available[..<count]))
    input.consume(count)
  }

  /// Passes a name or comment with the zero after it.
  private func passText(_ checksum: inout CRC32) throws(CofferError) {
    while true {
      guard try input.have(1) else { throw truncated("a member's header") }
      let end = input.available.firstIndex(of: 0)
      pass(end.map { $0 + 1 } ?? input.available.count, &checksum)
      if end != nil { return }
    }
  }

  // MARK: The content

  package func readFrame(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if let error = delayed.take() { throw error }
    while true {
      // The inflater may hold back content for which it needs no more input.
      if !inflater.mayHoldBack, try !input.have(1) { throw truncated("a member") }
      let step = inflater.step(input.available, into: buffer)
      input.consume(step.consumed)
      if step.hasFailed { return try fail(place.corrupt("a block can't be decoded"), after: step.produced) }
      if step.isAtEnd {
        do throws(CofferError) { try passTrailer() } catch { return try fail(error, after: step.produced) }
      }
      try meter.add(step.produced, compressed: input.offset)
      if step.produced > 0 || step.isAtEnd { return step.produced }
    }
  }

  /// Throws an error, but with `onDamage` only after the content before it has been returned.
  private func fail(_ error: CofferError, after produced: Int) throws(CofferError) -> Int {
    if onDamage == nil || produced == 0 { throw error }
    try meter.add(produced, compressed: input.offset)
    delayed = error
    return produced
  }

  private func passTrailer() throws(CofferError) {
    let start = place
    guard try input.have(8) else { throw truncated("a member's checksum and size") }
    let (checksum, size) = (input.number(), input.number(at: 4))
    let isRight = checksum == inflater.checksum.value
    let isComplete = isRight && size == UInt32(truncatingIfNeeded: inflater.size)
    // Damage may look like the last block: then this is no trailer, and pieces of the member may follow.
    if isComplete || onDamage == nil || lacksBlocks {
      input.consume(8)
      isBeforeChecksum = false
    }
    if isComplete || lacksBlocks { return }
    throw start.corrupt(
      isRight ? "the content does not have the size in its trailer" : "the content's checksum does not match")
  }
}

extension GzipSource: CompressedSource {
  package static var corruption: CofferError.Code { .gzipCorrupt }
}

extension CofferError.Code {
  /// The input does not begin like gzip data.
  public static let notGzip = Self(rawValue: "not-gzip")
  /// Corrupt gzip data: a checksum mismatch, a wrong size, data that can't be expanded.
  public static let gzipCorrupt = Self(rawValue: "gzip-corrupt")
  /// Truncated gzip data.
  public static let gzipTruncated = Self(rawValue: "gzip-truncated")
  /// Gzip data that needs a newer program.
  public static let gzipUnsupported = Self(rawValue: "gzip-unsupported")
}
