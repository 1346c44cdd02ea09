import ByteStreams
import SystemPackage
import TestSupport
import ZIPArchives

/// The result of reading an archive: its files, or the error code.
enum Reading: Equatable, CustomStringConvertible {
  case files([String: [UInt8]])
  case refused(String)

  /// Reads an archive in a folder using the archive's directory.
  init(file name: String, in folder: TemporaryFolder, options: ZIPReader.Options = .init()) throws {
    do {
      self = .files(try Self.files(of: try ZIPReader(FileSource(path: folder.path.appending(name)), options: options)))
    } catch {
      self = .refused(error.code.rawValue)
    }
  }

  /// Reads bytes as a stream.
  init(_ bytes: [UInt8], chunkSize: Int = .max, options: ZIPReader.Options = .init()) {
    do throws(CofferError) {
      self = .files(try Self.files(of: ZIPReader(MemorySource(bytes, chunkSize: chunkSize), options: options)))
    } catch {
      self = .refused(error.code.rawValue)
    }
  }

  static func files(of reader: ZIPReader) throws(CofferError) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    while let entry = try reader.next() {
      if entry.isFolder { continue }
      var bytes: [UInt8] = []
      while let piece = try reader.nextPiece() { bytes += piece }
      files[entry.name] = bytes
    }
    return files
  }

  var description: String {
    switch self {
    case .files(let files): "files " + files.keys.sorted().joined(separator: ", ")
    case .refused(let code): code
    }
  }
}
