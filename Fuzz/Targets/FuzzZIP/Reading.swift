import ByteStreams
import ZIPArchives

/// The result of reading an archive.
struct Reading: Equatable, CustomStringConvertible {
  struct File: Equatable {
    let name: String
    var bytes: [UInt8] = []
  }

  private(set) var files: [File] = []
  private(set) var faults: [CofferError] = []
  /// The error that ended the reading, or `nil`.
  private(set) var failure: CofferError?

  init(of archive: [UInt8], chunkSize: Int, faults: ZIPReader.Faults) {
    var options = ZIPReader.Options()
    options.faults = faults
    // Every byte is slow under AddressSanitizer.
    options.limits.size = 8 << 20
    options.limits.entries = 100
    let reader = ZIPReader(MemorySource(archive, chunkSize: chunkSize), options: options)
    do throws(CofferError) {
      while let entry = try reader.next() {
        guard files.count < options.limits.entries else { fatalError("more entries than allowed") }
        if entry.isFolder { continue }
        var file = File(name: entry.name)
        while let piece = try reader.nextPiece() { file.bytes += piece }
        files.append(file)
      }
    } catch {
      failure = error
    }
    self.faults = reader.faults
    guard files.reduce(0, { $0 + $1.bytes.count }) <= options.limits.size else { fatalError("more bytes than allowed") }
  }

  var description: String {
    "\(files.map { "\($0.name): \($0.bytes.count)" }), faults \(faults), \(failure.map { "\($0.code.rawValue): \($0)" } ?? "no error")"
  }
}
