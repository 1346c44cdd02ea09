import ByteStreams
import Pipelines

/// The bytes that another thread, or a task, sends.
final class ChannelSource: ByteSource, Sendable {
  private let channel: Channel<[UInt8]>
  private let name: String
  private let rest = Rest()

  /// The bytes that have arrived but have not been read.
  private final class Rest: @unchecked Sendable {
    // @unchecked: only `read` touches it, and a source has one reader.
    var bytes: [UInt8] = []
    var position = 0
  }

  init(_ channel: Channel<[UInt8]>, named name: String) {
    self.channel = channel
    self.name = name
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    while rest.position == rest.bytes.count {
      guard let piece = try nextPiece() else { return 0 }
      rest.bytes = piece
      rest.position = 0
    }
    let count = min(buffer.count, rest.bytes.count - rest.position)
    rest.bytes.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[rest.position..<rest.position + count]))
    }
    rest.position += count
    return count
  }

  private func nextPiece() throws(CofferError) -> [UInt8]? {
    do {
      return try channel.receiveWaiting()
    } catch let error as CofferError {
      throw error
    } catch is CancellationError {
      throw CofferError(.cancelled, "reading \(name) was cancelled")
    } catch {
      throw CofferError(.inputOutput, "cannot read \(name): \(error)")
    }
  }
}

/// The bytes of an asynchronous sequence, for a blocking reader: a task reads them, a few pieces ahead.
final class AsyncByteSource: ByteSource, Sendable {
  private let channel: Channel<[UInt8]>
  private let source: ChannelSource
  private let task: Task<Void, Never>

  /// Single bytes are collected into pieces of this size.
  private static let pieceSize = 64 << 10

  private init(named name: String, _ draw: @escaping @Sendable (Channel<[UInt8]>) async throws -> Void) {
    let channel = Channel<[UInt8]>(capacity: 2)
    self.channel = channel
    source = ChannelSource(channel, named: name)
    task = Task {
      do {
        try await draw(channel)
        channel.finish()
      } catch {
        channel.finish(.failure(error))
      }
    }
  }

  convenience init<Bytes: AsyncSequence & Sendable>(bytes: Bytes, named name: String) where Bytes.Element == UInt8 {
    self.init(named: name) { channel in
      var piece: [UInt8] = []
      piece.reserveCapacity(Self.pieceSize)
      for try await byte in bytes {
        piece.append(byte)
        guard piece.count == Self.pieceSize else { continue }
        guard await channel.send(piece) else { return }
        piece.removeAll(keepingCapacity: true)
      }
      _ = await channel.send(piece)
    }
  }

  convenience init<Chunks: AsyncSequence & Sendable>(chunks: Chunks, named name: String) where Chunks.Element: Sequence<UInt8> {
    self.init(named: name) { channel in
      for try await chunk in chunks {
        guard await channel.send(Array(chunk)) else { return }
      }
    }
  }

  deinit { cancel() }

  /// Ends a waiting read, and the task.
  func cancel() {
    task.cancel()
    channel.close()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int { try source.read(into: buffer) }
}
