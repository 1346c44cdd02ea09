package import ByteStreams

/// The result of reading compressed data in one of the possible ways.
package enum Decoding: Equatable, CustomStringConvertible {
  case content([UInt8])
  case failure(code: String, message: String, offset: Int?)

  /// Reads a source to its end.
  ///
  /// - Parameters:
  ///   - bufferSize: the size of the buffer of each read.
  ///   - limit: the number of bytes after which reading stops.
  package init(_ source: inout some ByteSource, bufferSize: Int, limit: Int = .max) {
    var content: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 1)
    defer { buffer.deallocate() }
    do throws(CofferError) {
      while content.count < limit {
        let count = try source.read(into: buffer)
        if count == 0 { break }
        content += UnsafeRawBufferPointer(rebasing: buffer[..<count])
      }
      self = .content(content)
    } catch {
      self.init(error)
    }
  }

  package init(_ error: CofferError) {
    self = .failure(code: error.code.rawValue, message: error.message, offset: error.place.inputOffset)
  }

  package var code: String? {
    if case .failure(let code, _, _) = self { code } else { nil }
  }

  package var message: String? {
    if case .failure(_, let message, _) = self { message } else { nil }
  }

  package var offset: Int? {
    if case .failure(_, _, let offset) = self { offset } else { nil }
  }

  package var description: String {
    switch self {
    case .content(let bytes): "\(bytes.count) bytes"
    case .failure(let code, let message, _): "\(code): \(message)"
    }
  }
}
