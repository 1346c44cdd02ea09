import ByteStreams
import SystemPackage
import TestSupport
import Testing

@Suite struct ByteSinkTests {
  @Test func `a memory sink keeps all bytes in order`() throws {
    var sink = MemorySink()
    try sink.write("é")
    try sink.write([])
    try sink.write("")
    try sink.write([0, 255] as [UInt8])
    #expect(sink.bytes == [0xC3, 0xA9, 0, 255])
  }

  @Test func `a counting sink counts bytes`() throws {
    var sink = CountingSink()
    try sink.write("é€")
    try sink.write([1, 2, 3])
    #expect(sink.count == 8)
  }

  @Test func `a file sink writes to its descriptor`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("file")
    let descriptor = try FileDescriptor.open(path, .writeOnly, options: [.create], permissions: .ownerReadWrite)
    var sink = FileSink(owner: DescriptorOwner(descriptor, closes: true), name: "file")
    try sink.write("some ")
    try sink.write("text")
    #expect(try folder.text(of: "file") == "some text")
  }

  @Test func `a write error names the sink`() throws {
    let folder = try TemporaryFolder()
    try folder.write("text", to: "file")
    let descriptor = try FileDescriptor.open(folder.path.appending("file"), .readOnly)
    var sink = FileSink(owner: DescriptorOwner(descriptor, closes: true), name: "the report")
    let error = #expect(throws: CofferError.self) { try sink.write("more") }
    #expect(error?.code == .inputOutput)
    #expect(error?.message == "cannot write the report: bad file descriptor")
  }
}
