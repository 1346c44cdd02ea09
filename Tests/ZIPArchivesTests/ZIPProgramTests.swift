import ByteStreams
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

/// Tests both directions with common programs.
@Suite struct ZIPProgramTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("in/photos")
    for (name, bytes) in Self.files { try folder.write(bytes, to: "in/\(name)") }
  }

  static let files: [String: [UInt8]] = {
    var random = SeededRandom(seed: 5)
    let noise = random.bytes(700_000)
    return [
      "metadata.json": Array(String(repeating: "{\"photo\": 1}\n", count: 9000).utf8),
      "photos/1_dune.jpg": noise, "photos/2_crêpe 日本.jpg": Array(noise.prefix(99)), "photos/3_empty.jpg": [],
    ]
  }()

  /// Returns an archive with the files in the order of their names, the first compressed.
  static func written(prefersZIP64: Bool) throws -> [UInt8] {
    var options = ZIPWriter<MemorySink>.Options()
    options.prefersZIP64 = prefersZIP64
    var writer = ZIPWriter(to: MemorySink(), options: options)
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      if name == "metadata.json" {
        try writer.addCompressed(name, from: MemorySource(bytes), size: bytes.count)
      } else {
        try writer.addStored(name, size: bytes.count, checksum: CRC32(of: bytes), from: MemorySource(bytes))
      }
    }
    try writer.finish()
    return writer.sink.bytes
  }

  @Test(arguments: [false, true])
  func `a written archive can be read`(prefersZIP64: Bool) throws {
    let archive = try Self.written(prefersZIP64: prefersZIP64)
    #expect(try archive == Self.written(prefersZIP64: prefersZIP64))
    #expect(Reading(archive) == .files(Self.files))
    #expect(Reading(archive, chunkSize: 11) == .files(Self.files))
    try folder.write(archive, to: "a.zip")
    #expect(try Reading(file: "a.zip", in: folder) == .files(Self.files))
  }

  @Test(arguments: [1, 21, 22, 65_535, 65_536, 1 << 20], [false, true])
  func `an archive padded with zeros is read`(count: Int, prefersZIP64: Bool) throws {
    let archive = try Self.written(prefersZIP64: prefersZIP64)
    try folder.write(archive + [UInt8](repeating: 0, count: count), to: "a.zip")
    try expectArchive("a.zip")
    try folder.write(archive + [UInt8](repeating: 0, count: count) + [1], to: "b.zip")
    #expect(try Reading(file: "b.zip", in: folder) == .refused("zip-inconsistent"))
    #expect(try Reading(folder.bytes(of: "b.zip")) == .refused("zip-inconsistent"))
  }

  @Test func `padding of more than 1 MiB is refused`() throws {
    let archive = try Self.written(prefersZIP64: false) + [UInt8](repeating: 0, count: 1 << 20 + 1)
    try folder.write(archive, to: "a.zip")
    #expect(try Reading(file: "a.zip", in: folder) == .refused("zip-inconsistent"))
    #expect(Reading(archive) == .refused("zip-inconsistent"))
  }

  /// Blanks deflate a thousandfold, which readers take for a bomb. Wherever they are, the writer stays within the ratio that
  /// readers allow.
  @Test(arguments: [0, 600_000, 3 << 20], [300_000, 2 << 20, 40 << 20])
  func `data that compresses too well stays within the ratio of readers`(before: Int, blanks: Int) async throws {
    var random = SeededRandom(seed: 7)
    let digits = random.bytes(before).map { 0x30 + $0 % 10 }
    let bytes = digits + [UInt8](repeating: 0x20, count: blanks) + digits
    var writer = ZIPWriter(to: MemorySink())
    try writer.addCompressed("a.json", from: MemorySource(bytes), size: bytes.count)
    try writer.finish()
    let archive = writer.sink.bytes
    var options = ZIPReader.Options()
    options.limits.ratio = 100
    #expect(Reading(archive, options: options) == .files(["a.json": bytes]))
    #expect(archive.count < before + blanks / 20 + 2000)
    guard let python = Program.python else { return skip("python3") }
    try folder.write(archive, to: "a.zip")
    try await python.run("-c", "import zipfile; assert zipfile.ZipFile('a.zip').testzip() is None", in: folder)
  }

  @Test func `a name that cannot be read is not written`() throws {
    let name = Array(repeating: String(repeating: "n", count: 200), count: 6).joined(separator: "/")
    var writer = ZIPWriter(to: MemorySink())
    let error = #expect(throws: CofferError.self) { try writer.addCompressed(name, from: MemorySource([]), size: 0) }
    #expect(error?.code == .unsafeName)
  }

  @Test(arguments: [false, true]) func `unzip reads a written archive`(prefersZIP64: Bool) async throws {
    guard let unzip = Program.unzip else { return skip("unzip") }
    try folder.write(try Self.written(prefersZIP64: prefersZIP64), to: "a.zip")
    try await unzip.run("-tq", "a.zip", in: folder)
    try await unzip.run("-q", "a.zip", "-d", "out", in: folder)
    try expectAll(below: "out")
  }

  @Test(arguments: [false, true]) func `bsdtar reads a written archive`(prefersZIP64: Bool) async throws {
    guard let bsdtar = Program.bsdtar else { return skip("bsdtar") }
    try folder.write(try Self.written(prefersZIP64: prefersZIP64), to: "a.zip")
    try folder.makeFolder("out")
    try await bsdtar.run("-xf", "a.zip", "-C", "out", in: folder)
    try expectAll(below: "out")
  }

  @Test(arguments: [false, true]) func `Python reads a written archive`(prefersZIP64: Bool) async throws {
    guard let python = Program.python else { return skip("python3") }
    try folder.write(try Self.written(prefersZIP64: prefersZIP64), to: "a.zip")
    let script = "import zipfile; z = zipfile.ZipFile('a.zip'); assert z.testzip() is None; z.extractall('out')"
    try await python.run("-c", script, in: folder)
    try expectAll(below: "out")
  }

  @Test(arguments: [["-0"], ["-6"], ["-0", "-fz"], ["-6", "-fz"], ["-6", "-fd"], ["-6", "-D"]])
  func `archives of zip are read`(options: [String]) async throws {
    guard let zip = Program.zip else { return skip("zip") }
    let script = "cd in && exec \(zip.path) -q -r \(options.joined(separator: " ")) ../a.zip ."
    try await Program("sh")?.run("-c", script, in: folder)
    try expectArchive("a.zip")
    // In a stream, checksums and sizes follow the data.
    try await Program("sh")?.run("-c", "cd in && \(zip.path) -q -r \(options.joined(separator: " ")) - . > ../b.zip", in: folder)
    try expectArchive("b.zip")
  }

  @Test(arguments: ["compression=store", "compression=deflate", "zip64"])
  func `archives of bsdtar are read`(options: String) async throws {
    guard let bsdtar = Program.bsdtar else { return skip("bsdtar") }
    try await bsdtar.run("-cf", "a.zip", "--format", "zip", "--options", "zip:\(options)", "-C", "in", ".", in: folder)
    // Its names begin with "./", which is not part of a plain name.
    #expect(try Reading(file: "a.zip", in: folder) == .refused("path-unsafe"))
    try await bsdtar.run(
      "-cf", "b.zip", "--format", "zip", "--options", "zip:\(options)", "-C", "in", "metadata.json", "photos", in: folder)
    try expectArchive("b.zip")
  }

  /// Writing to a pipe, bsdtar pads its last block to 10240 bytes.
  @Test(arguments: ["compression=store", "compression=deflate", "zip64"])
  func `archives of bsdtar from a pipe are read`(options: String) async throws {
    guard let bsdtar = Program.bsdtar else { return skip("bsdtar") }
    let script = "cd in && \(bsdtar.path) --format zip --options zip:\(options) -cf - * | cat > ../a.zip"
    try await Program("sh")?.run("-c", script, in: folder)
    #expect(try folder.bytes(of: "a.zip").last == 0)
    try expectArchive("a.zip")
  }

  @Test(arguments: ["ZIP_STORED", "ZIP_DEFLATED"], [false, true])
  func `archives of Python are read`(method: String, isLarge: Bool) async throws {
    guard let python = Program.python else { return skip("python3") }
    try await writeWithPython(python, method: method, isLarge: isLarge)
    try expectArchive("a.zip")
  }

  @Test(arguments: ["ZIP_BZIP2", "ZIP_LZMA"])
  func `entries that are neither stored nor deflated are refused`(method: String) async throws {
    guard let python = Program.python else { return skip("python3") }
    try await writeWithPython(python, method: method, isLarge: false)
    #expect(try Reading(file: "a.zip", in: folder) == .refused("zip-unsupported"))
    #expect(try Reading(folder.bytes(of: "a.zip")) == .refused("zip-unsupported"))
  }

  private func writeWithPython(_ python: Program, method: String, isLarge: Bool) async throws {
    let script = """
      import os, zipfile
      z = zipfile.ZipFile('a.zip', 'w', zipfile.\(method))
      for root, _, names in os.walk('in'):
        for name in names:
          path = os.path.join(root, name)
          with z.open(os.path.relpath(path, 'in'), 'w', force_zip64=\(isLarge ? "True" : "False")) as entry:
            entry.write(open(path, 'rb').read())
      z.close()
      """
    try await python.run("-c", script, in: folder)
  }

  @Test func `a symbolic link stored by zip is refused`() async throws {
    guard let zip = Program.zip else { return skip("zip") }
    try await Program("sh")?.run(
      "-c", "cd in && ln -s /etc/passwd link && \(zip.path) -q -y ../a.zip metadata.json link", in: folder)
    #expect(try Reading(file: "a.zip", in: folder) == .refused("entry-type"))
    #expect(try Reading(folder.bytes(of: "a.zip")) == .refused("entry-type"))
  }

  private func expectArchive(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = Reading.files(Self.files)
    #expect(try Reading(file: name, in: folder) == expected, sourceLocation: sourceLocation)
    let bytes = try folder.bytes(of: name)
    for size in [13, .max] { #expect(Reading(bytes, chunkSize: size) == expected, sourceLocation: sourceLocation) }
  }

  private func expectAll(below name: String) throws {
    for (file, bytes) in Self.files { #expect(try folder.bytes(of: "\(name)/\(file)") == bytes, "\(file)") }
  }

  private func skip(_ name: String) { print("skipped: \(name) is not installed") }
}
