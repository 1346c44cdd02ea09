import ByteStreams
import Foundation
import Platform
import Subprocess
import Synchronization
import SystemPackage
import TestSupport

@testable import CofferCommand

/// A run of the command, in this process unless a shell starts it.
struct Command {
  let status: Int32
  let output: String
  let errors: String

  static let path = BuildFolder.path(of: "coffer")

  init(_ arguments: String..., input: String = "", in folder: TemporaryFolder? = nil) async throws {
    try await self.init(arguments, input: input, in: folder)
  }

  /// Runs the command in this process, because spawning it takes 30 times as long as most runs.
  init(_ arguments: [String], input: String = "", in folder: TemporaryFolder? = nil) async throws {
    let streams = try TemporaryFolder()
    try streams.write(input, to: "input")
    try await self.init(arguments, in: folder?.path ?? streams.path, streams) {
      try FileDescriptor.writing("output", in: streams)
    }
  }

  /// Runs the command in this process with a device as its standard output.
  init(_ arguments: [String], output: FilePath, in folder: TemporaryFolder) async throws {
    try await self.init(arguments, in: folder.path, TemporaryFolder()) { try FileDescriptor.open(output, .writeOnly) }
  }

  /// Runs the command in this process with a closed pipe as its standard output.
  init(closedPipe arguments: [String], in folder: TemporaryFolder) async throws {
    try await self.init(arguments, in: folder.path, TemporaryFolder()) {
      let (readEnd, writeEnd) = try FileDescriptor.pipe()
      try readEnd.close()
      return writeEnd
    }
  }

  private init(
    _ arguments: [String], in folder: FilePath, _ streams: TemporaryFolder,
    output: @escaping @Sendable () throws -> FileDescriptor
  ) async throws {
    status = try await withCheckedThrowingContinuation { continuation in
      let turn = Self.turn.wrappingAdd(1, ordering: .relaxed).oldValue
      Self.queues[turn % Self.queues.count].async {
        continuation.resume(with: Result { try Self.status(of: arguments, in: folder, streams, output: output()) })
      }
    }
    self.output = (try? streams.text(of: "output")) ?? ""
    errors = try streams.text(of: "errors")
  }

  /// One queue for each core, or a single one where the working directory belongs to the process.
  ///
  /// Serial queues have threads of their own, so that waiting commands take none from Subprocess.
  private static let queues = (0..<(ownsFolder() ? ProcessInfo.processInfo.activeProcessorCount : 1)).map {
    DispatchQueue(label: "Command \($0)")
  }
  private static let turn = Atomic(0)

  /// Gives this thread, and those that it starts, a working directory of their own. Returns false where threads can't have one.
  @discardableResult private static func ownsFolder() -> Bool {
    #if os(Linux)
      // Swift's module of the C library leaves out `unshare(CLONE_FS)`.
      typealias Unshare = @convention(c) (CInt) -> CInt
      guard let unshare = dlsym(nil, "unshare") else { return false }
      return unsafeBitCast(unshare, to: Unshare.self)(0x200) == 0
    #else
      return false
    #endif
  }

  private static func status(
    of arguments: [String], in folder: FilePath, _ streams: TemporaryFolder, output: FileDescriptor
  ) throws -> Int32 {
    // The command's `main` does the same.
    signal(SIGPIPE, SIG_IGN)
    defer { try? output.close() }
    let inputPath = streams.path.appending("input")
    let input = try FileDescriptor.open(
      FileManager.default.fileExists(atPath: inputPath.string) ? inputPath : "/dev/null", .readOnly)
    defer { try? input.close() }
    let errors = try FileDescriptor.writing("errors", in: streams)
    defer { try? errors.close() }
    let previous = FileManager.default.currentDirectoryPath
    ownsFolder()
    guard chdir(folder.string) == 0 else { throw Errno(rawValue: errno) }
    defer { _ = chdir(previous) }
    return StandardStreams.$current.withValue(StandardStreams(input: input, output: output, errors: errors)) {
      CofferCommand.run(arguments).rawValue
    }
  }

  /// Runs the command in a process of its own.
  init(spawning arguments: [String], in folder: TemporaryFolder) async throws {
    try await self.init(script: #"exec "$0" "$@""#, arguments, in: folder)
  }

  /// Runs a shell script, in which `"$0"` is the command's path.
  init(script: String, _ arguments: [String] = [], in folder: TemporaryFolder) async throws {
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: Arguments(["-c", script, Self.path] + arguments),
      environment: .inherit.updating([
        "NO_COLOR": "1", "XDG_CACHE_HOME": "\(folder.path)/.cache", "XDG_CONFIG_HOME": "\(folder.path)/.config",
      ]), workingDirectory: folder.path,
      output: .string(limit: 1 << 22),
      error: .string(limit: 1 << 20))
    switch result.terminationStatus {
    case .exited(let code): status = code
    case .signaled(let signal): status = 128 + signal
    }
    output = result.standardOutput
    errors = result.standardError
  }
}

extension FileDescriptor {
  /// Opens a new file in a folder.
  fileprivate static func writing(_ name: String, in folder: TemporaryFolder) throws -> FileDescriptor {
    try open(folder.path.appending(name), .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
  }
}
