import ByteStreams
import Platform
import SystemPackage

extension Child {
  /// Starts a process. Its standard input is /dev/null, and so is its standard output by default.
  ///
  /// - Throws: `Errno`.
  static func spawn(
    _ executable: FilePath, _ arguments: [String], _ environment: [String: String], output: DescriptorOwner?,
    complaint: DescriptorOwner
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    try check(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try check(posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0))
    if let output {
      try check(posix_spawn_file_actions_adddup2(&actions, output.descriptor.rawValue, STDOUT_FILENO))
    } else {
      try check(posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0))
    }
    try check(posix_spawn_file_actions_adddup2(&actions, complaint.descriptor.rawValue, STDERR_FILENO))

    let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return try withCStrings([executable.string] + arguments) { arguments in
      try withCStrings(variables) { variables in
        var number: pid_t = 0
        var result = posix_spawn(&number, executable.string, &actions, nil, arguments, variables)
        // A program that was just written may still be open in a process that another thread is starting, until that process
        // executes its program.
        for _ in 0..<100 where result == ETXTBSY {
          usleep(10_000)
          result = posix_spawn(&number, executable.string, &actions, nil, arguments, variables)
        }
        try check(result)
        return number
      }
    }
  }

  private static func check(_ result: CInt) throws {
    if result != 0 { throw Errno(rawValue: result) }
  }

  /// Calls `body` with a null-terminated array of C strings.
  private static func withCStrings<R>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws -> R
  ) throws -> R {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    guard !pointers.contains(nil) else { throw Errno.noMemory }
    pointers.append(nil)
    return try pointers.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { throw Errno.noMemory }
      return try body(start)
    }
  }
}
