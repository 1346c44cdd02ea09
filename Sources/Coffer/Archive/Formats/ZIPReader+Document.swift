import ByteStreams
import CompressedStreams
import Findings
import ZIPArchives

extension ZIPReader {
  /// Returns the data of the current entry, whose name identifies it as the document.
  ///
  /// - Throws: `CofferError` if it can't be read, is an archive or compressed again, which no app reads.
  func document(_ entry: ZIPEntry) throws -> any ByteSource {
    if let fault = faults.last, fault.code == .zipEncrypted, fault.place.entry == entry.name { throw fault }
    var prefix: [UInt8] = []
    while prefix.count < ForeignFile.signatureLength, let piece = try nextPiece() { prefix += piece }
    if Self.isArchive(prefix) {
      throw CofferError(.zipArchive, "\(entry.name) must be plain JSON, but is a ZIP archive")
    }
    if let format = try Decompression(MemorySource(prefix)).format {
      throw CofferError(
        format == .lz4 ? .lz4Entry : .foreignCompression,
        "\(entry.name) must be plain JSON, but is compressed with \(format.name)")
    }
    if let foreign = ForeignFile(of: prefix) {
      throw CofferError(foreign.code, "\(entry.name) must be plain JSON, but is \(foreign.name)")
    }
    return PrefixedSource(prefix: prefix, rest: contents)
  }
}
