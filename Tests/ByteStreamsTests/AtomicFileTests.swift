import ByteStreams
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct AtomicFileTests {
  private let folder: TemporaryFolder
  private var target: FilePath { folder.path.appending("target") }

  init() throws { folder = try TemporaryFolder() }

  private func write(
    _ text: String, existing: AtomicFile.Existing = .replace, mayBeUnnamed: Bool = true, commits: Bool = true
  ) throws {
    var file = try AtomicFile(target, existing: existing, mayBeUnnamed: mayBeUnnamed)
    try file.write(text)
    if commits { try file.commit() }
  }

  @Test(arguments: [true, false]) func `a committed file is the only file in its folder`(mayBeUnnamed: Bool) throws {
    try write("text", mayBeUnnamed: mayBeUnnamed)
    #expect(try folder.names == ["target"])
    #expect(try folder.text(of: "target") == "text")
  }

  @Test(arguments: [true, false]) func `an abandoned file leaves nothing`(mayBeUnnamed: Bool) throws {
    try write("text", mayBeUnnamed: mayBeUnnamed, commits: false)
    #expect(try folder.names == [])
  }

  @Test func `an abandoned replacement leaves the old file`() throws {
    try folder.write("old", to: "target")
    try write("new", commits: false)
    #expect(try folder.names == ["target"])
    #expect(try folder.text(of: "target") == "old")
  }

  @Test func `the target stays unchanged until the commit`() throws {
    try folder.write("old", to: "target")
    var file = try AtomicFile(target, existing: .replace)
    try file.write("new")
    #expect(try folder.text(of: "target") == "old")
    try file.commit()
    #expect(try folder.text(of: "target") == "new")
  }

  #if os(Linux)
    @Test func `an unfinished file has no name`() throws {
      var file = try AtomicFile(target, existing: .replace)
      try file.write("text")
      #expect(try folder.names == [])
      try file.commit()
      #expect(try folder.names == ["target"])
    }
  #endif

  @Test(arguments: [true, false])
  func `temporary files of other writers neither block a write nor are removed`(mayBeUnnamed: Bool) throws {
    try folder.write("old", to: "target")
    let left = (0..<3).map { ".coffer-\(getpid())-\($0).tmp" }
    let descriptors = try left.map { name in
      try folder.write("theirs", to: name)
      // A writer holds its file's lock: without it, the file would count as the leftover of a killed process.
      let descriptor = try FileDescriptor.open(folder.path.appending(name), .readWrite)
      try #require(flock(descriptor.rawValue, LOCK_EX) == 0)
      return descriptor
    }
    defer { for descriptor in descriptors { try? descriptor.close() } }
    try write("new", mayBeUnnamed: mayBeUnnamed)
    #expect(try folder.names == (left + ["target"]).sorted())
    #expect(try folder.text(of: "target") == "new")
  }

  @Test func `keep refuses an existing target`() throws {
    try folder.write("old", to: "target")
    let error = #expect(throws: CofferError.self) { try write("new", existing: .keep) }
    #expect(error?.code == .alreadyExists)
    #expect(try folder.names == ["target"])
    #expect(try folder.text(of: "target") == "old")
  }

  @Test(arguments: [true, false]) func `keep commits if the target does not exist`(mayBeUnnamed: Bool) throws {
    try write("new", existing: .keep, mayBeUnnamed: mayBeUnnamed)
    #expect(try folder.names == ["target"])
    #expect(try folder.text(of: "target") == "new")
  }

  @Test(arguments: [true, false]) func `keep refuses a target created before the commit`(mayBeUnnamed: Bool) throws {
    do {
      var file = try AtomicFile(target, existing: .keep, mayBeUnnamed: mayBeUnnamed)
      try file.write("new")
      try folder.write("theirs", to: "target")
      let error = #expect(throws: CofferError.self) { try file.commit() }
      #expect(error?.code == .alreadyExists)
    }
    #expect(try folder.names == ["target"])
    #expect(try folder.text(of: "target") == "theirs")
  }

  @Test(arguments: ["", ".", "..", "/"])
  func `a path that can only name a folder is refused`(name: String) {
    let error = #expect(throws: CofferError.self) { try AtomicFile(FilePath(name), existing: .replace) }
    #expect(error?.code == .isDirectory)
  }

  @Test func `an existing folder is refused as target`() throws {
    let error = #expect(throws: CofferError.self) { try AtomicFile(folder.path, existing: .replace) }
    #expect(error?.code == .isDirectory)
    #expect(error?.message.contains(folder.path.string) == true)
  }

  @Test func `a target in a missing folder is not found`() throws {
    let error = #expect(throws: CofferError.self) { try AtomicFile(target.appending("inner"), existing: .replace) }
    #expect(error?.code == .notFound)
  }

  @Test func `a name of 255 bytes can be written`() throws {
    let name = String(repeating: "n", count: 255)
    let file = try AtomicFile(folder.path.appending(name), existing: .replace)
    try file.commit()
    #expect(try folder.names == [name])
  }

  private func permissions(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.path.appending(name).string)[.posixPermissions] as? Int
  }

  @Test func `a new file has the default permissions`() throws {
    // An ordinary new file has the permissions that the umask leaves.
    try folder.write("other", to: "other")
    try write("text")
    #expect(try permissions("target") == permissions("other"))
  }

  @Test(arguments: [0o600, 0o640, 0o755])
  func `a replacement keeps the permissions of the old file`(mode: Int) throws {
    try folder.write("old", to: "target")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target.string)
    try write("new")
    #expect(try permissions("target") == mode)
  }

  @Test(arguments: [true, false]) func `writing to a symbolic link writes its target and keeps the link`(exists: Bool) throws {
    if exists { try folder.write("old", to: "real") }
    try FileManager.default.createSymbolicLink(atPath: target.string, withDestinationPath: "second")
    try FileManager.default.createSymbolicLink(atPath: folder.path.appending("second").string, withDestinationPath: "real")
    try write("new")
    #expect(try folder.text(of: "real") == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: target.string) == "second")
    #expect(try folder.names == ["real", "second", "target"])
  }

  @Test func `several files with the same target do not clash`() throws {
    var first = try AtomicFile(target, existing: .replace)
    var second = try AtomicFile(target, existing: .replace)
    try first.write("first")
    try second.write("second")
    try second.commit()
    try first.commit()
    #expect(try folder.names == ["target"])
    #expect(try folder.text(of: "target") == "first")
  }
}
