import ByteStreams
import LZ4Streams
import Testing

/// Damage after the bytes that have been read.
@Suite struct DamageTests {
  /// Reads the first bytes of a stream with one large frame, then looks for damage.
  private func damage(in stream: [UInt8], within limit: Int) throws -> CofferError? {
    var source = PrefixedSource(prefix: [], rest: LZ4Source(MemorySource(stream)))
    #expect(try source.readPrefix(1000).count == 1000)
    return source.damage(within: limit)
  }

  private func stream(hasDamage: Bool) throws -> [UInt8] {
    var writer = LZ4StreamWriter(to: MemorySink(), level: 1)
    // Noise is stored as it is, so that every change of it can be decoded.
    try writer.write(Sample.noise(size: 1_000_000))
    try writer.finish()
    var stream = writer.sink.bytes
    if hasDamage { stream[500] ^= 1 }
    return stream
  }

  @Test func `a frame that doesn't match its checksum is damaged`() throws {
    let error = try damage(in: stream(hasDamage: true), within: .max)
    #expect(error?.code == .lz4Corrupt)
    #expect(error?.message.contains("the content's checksum does not match") == true)
  }

  @Test func `an intact frame has no damage`() throws {
    #expect(try damage(in: stream(hasDamage: false), within: .max) == nil)
  }

  @Test func `a checksum beyond the limit is not read`() throws {
    #expect(try damage(in: stream(hasDamage: true), within: 500_000) == nil)
  }

  @Test func `a truncated frame is not reported as damage`() throws {
    // Ends within the checksum, before the 40 bytes of the trailer.
    #expect(try damage(in: Array(stream(hasDamage: false).dropLast(42)), within: .max) == nil)
  }

  @Test func `a source without checksums has no damage`() throws {
    var source = PrefixedSource(prefix: [], rest: MemorySource([1, 2, 3]))
    #expect(source.damage(within: .max) == nil)
  }
}
