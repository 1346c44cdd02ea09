import ByteStreams
import CSyncFS
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder on its way to its name: filled beside it under another, and renamed when it is whole.
///
/// Until then it goes with this object, and with it all that was put in it. Only a process that is killed leaves it behind; the next folder that is
/// made beside it has it removed (``AbandonedFolders``).
final class UnfinishedFolder {
  private let target: FilePath
  private let path: FilePath
  /// Keeps others from taking it for one that nobody fills any more.
  private let lock: FolderLock
  /// What was made in it, in that order.
  private var made: [(path: FilePath, isFolder: Bool)] = []
  private var folders: Set<String> = []
  private var isCommitted = false

  /// - Throws: `alreadyExists` if something has the name already; `notFound` or `permissionDenied` for the folder around it.
  init(_ path: FilePath) throws(ByteStreamError) {
    target = path.lexicallyNormalized()
    guard target.lastComponent?.kind == .regular else {
      throw ByteStreamError(code: .alreadyExists, message: "cannot make the folder \(path): it is there already")
    }
    var information = stat()
    if lstat(target.string, &information) == 0 { throw ByteStreamError(.fileExists, verb: "make", name: target.string) }
    AbandonedFolders.remove(in: target.removingLastComponent())
    var number = 0
    while true {
      let candidate = target.removingLastComponent().appending(AbandonedFolders.name(number))
      if mkdir(candidate.string, 0o777) == 0 {
        // Somebody may have looked at it in between, and taken it away.
        if let lock = FolderLock(candidate), lock.holds(candidate) {
          (self.path, self.lock) = (candidate, lock)
          return
        }
      } else if errno != EEXIST {
        throw ByteStreamError(Errno(rawValue: errno), verb: "make", name: target.string)
      }
      guard number < 10_000 else { throw ByteStreamError(.fileExists, verb: "make", name: target.string) }
      number += 1
    }
  }

  deinit {
    if isCommitted { return }
    for item in made.reversed() { if item.isFolder { rmdir(item.path.string) } else { unlink(item.path.string) } }
    rmdir(path.string)
  }

  /// Makes a folder in it, and those around that one.
  ///
  /// - Parameter name: a safe one, with `/` between its parts.
  func makeFolder(_ name: some StringProtocol) throws(ByteStreamError) {
    var path = path
    var prefix = ""
    for part in name.split(separator: "/") {
      path.append(String(part))
      prefix += part + "/"
      if !folders.insert(prefix).inserted { continue }
      if mkdir(path.string, 0o777) != 0 { throw ByteStreamError(Errno(rawValue: errno), verb: "make", name: shown(path)) }
      made.append((path, true))
    }
  }

  /// Makes a file in it, and the folders around it.
  func makeFile(_ name: String) throws(ByteStreamError) -> FileSink {
    if let slash = name.lastIndex(of: "/") { try makeFolder(name[..<slash]) }
    let path = name.split(separator: "/").reduce(path) { $0.appending(String($1)) }
    // Nothing is there, for the folder is new; what is there nevertheless is not written to.
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
        permissions: FilePermissions(rawValue: 0o666))
    } catch { throw ByteStreamError(error as? Errno ?? .ioError, verb: "create", name: shown(path)) }
    made.append((path, false))
    return FileSink(owner: DescriptorOwner(descriptor, closes: true), name: shown(path))
  }

  /// Gives it its name, once all of it is on the disk.
  func commit() throws(ByteStreamError) {
    try sync()
    var information = stat()
    if lstat(target.string, &information) == 0 { throw ByteStreamError(.fileExists, verb: "make", name: target.string) }
    if rename(path.string, target.string) != 0 {
      throw ByteStreamError(Errno(rawValue: errno), verb: "make", name: target.string)
    }
    isCommitted = true
    let around = target.removingLastComponent()
    try sync(around.isEmpty ? "." : around)
  }

  private func sync() throws(ByteStreamError) {
    // The file system at once; what is then left for each file is to say whether its bytes got there. Thousands of single calls that write
    // take a minute.
    #if os(Linux)
      try withDescriptor(of: path) { _ = syncfs($0) }
    #endif
    for item in made.reversed() { try sync(item.path) }
    try sync(path)
  }

  private func sync(_ path: FilePath) throws(ByteStreamError) {
    try withDescriptor(of: path) { (descriptor) throws(ByteStreamError) in
      if fsync(descriptor) != 0 { throw ByteStreamError(Errno(rawValue: errno), verb: "sync", name: shown(path)) }
    }
  }

  private func withDescriptor(of path: FilePath, _ body: (CInt) throws(ByteStreamError) -> Void) throws(ByteStreamError) {
    let descriptor = open(path.string, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ByteStreamError(Errno(rawValue: errno), verb: "sync", name: shown(path)) }
    defer { close(descriptor) }
    try body(descriptor)
  }

  /// What messages call a path below the folder: by the name that was asked for, not the one that it has until it is whole.
  private func shown(_ path: FilePath) -> String {
    var rest = path
    return rest.removePrefix(self.path) ? target.pushing(rest).string : path.string
  }
}
