import Foundation
import SystemPackage
import TestSupport
import Testing

/// `coffer pack`, `coffer unpack`, and `coffer validate` on their output.
@Suite struct PackCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let photos = URL(filePath: folder.path.appending("in/photos").string)
    try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
    try folder.write(Self.metadata, to: "in/metadata.json")
    try folder.write("sample photo one\n", to: "in/photos/101_dune.jpg")
  }

  @Test func `a backup survives packing and unpacking`() async throws {
    let pack = try await Command("pack", "in", "backup.zip", in: folder)
    #expect(pack.status == 0)
    #expect(pack.errors.contains("backup.zip: 2 files"))
    let validate = try await Command("validate", "backup.zip", "--now", "2026-01-01T00:00:00Z", in: folder)
    #expect(validate.status == 0)
    #expect(validate.output.hasPrefix("backup.zip: valid (smilepile 2"))
    let unpack = try await Command("unpack", "backup.zip", "out", in: folder)
    #expect(unpack.status == 0)
    #expect(unpack.errors == "out: 2 files, \(Self.metadata.utf8.count + 17) bytes\n")
    #expect(try folder.text(of: "out/metadata.json") == Self.metadata)
    #expect(try folder.text(of: "out/photos/101_dune.jpg") == "sample photo one\n")
    #expect(try folder.names == ["backup.zip", "in", "out"])
  }

  @Test func `existing output is replaced only with --force`() async throws {
    #expect(try await Command("pack", "in/metadata.json", "in/photos", "backup.zip", in: folder).status == 0)
    let again = try await Command("pack", "in", "backup.zip", in: folder)
    #expect(again.status == 4)
    #expect(again.errors.contains("--force replaces it"))
    #expect(try await Command("pack", "in", "backup.zip", "--force", in: folder).status == 0)
    let unpack = try await Command("unpack", "backup.zip", "in", in: folder)
    #expect(unpack.status == 4)
    #expect(try folder.text(of: "in/metadata.json") == Self.metadata)
  }

  @Test func `a missing photo is a finding, and prevents packing unless unchecked`() async throws {
    try FileManager.default.removeItem(atPath: folder.path.appending("in/photos/101_dune.jpg").string)
    let pack = try await Command("pack", "in", "backup.zip", in: folder)
    #expect(pack.status == 1)
    #expect(pack.errors.contains("there is no entry photos/101_dune.jpg [file-missing]"))
    #expect(try folder.names == ["in"])
    #expect(try await Command("pack", "--unchecked", "in", "backup.zip", in: folder).status == 0)
    let validate = try await Command("validate", "backup.zip", "--output-format", "json", in: folder)
    #expect(validate.status == 1)
    #expect(validate.output.contains("\"code\": \"file-missing\""))
    #expect(validate.output.contains("\"kind\": \"zip\""))
  }

  @Test(arguments: ["in/metadata.json", "metadata.json.lz4"])
  func `a compressed document is decompressed before it is packed`(compressed: String) async throws {
    #expect(try await Command("compress", "in/metadata.json", "metadata.json.lz4", in: folder).status == 0)
    if compressed == "in/metadata.json" {
      #expect(try await Command("compress", "in/metadata.json", "in/metadata.json.lz4", in: folder).status == 0)
      let path = folder.path.appending("in").string
      try FileManager.default.removeItem(atPath: path + "/metadata.json")
      try FileManager.default.moveItem(atPath: path + "/metadata.json.lz4", toPath: path + "/metadata.json")
    }
    let inputs = compressed == "in/metadata.json" ? ["in"] : [compressed, "in/photos"]
    let pack = try await Command(["pack"] + inputs + ["backup.zip"], in: folder)
    #expect(pack.status == 0)
    #expect(pack.errors.contains("2 files, \(Self.metadata.utf8.count + 17) bytes"))
    #expect(try await Command("unpack", "backup.zip", "out", in: folder).status == 0)
    #expect(try folder.text(of: "out/metadata.json") == Self.metadata)
  }

  /// However the paths of folder and output are spelled.
  @Test func `the output must not be inside the packed folder`() async throws {
    let path = folder.path.string
    try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "in")
    for output in [path + "/in/backup.zip", "link/backup.zip", "link/photos/../backup.zip"] {
      let run = try await Command("pack", "in", output, in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains("would be inside the folder to pack"))
    }
    #expect(try await Command("pack", "link", "in/backup.zip", in: folder).status == 2)
    #expect(try await Command("pack", path + "/in", "input.zip", in: folder).status == 0)
  }

  @Test(arguments: [["pack", "in"], ["pack", "in", "in/backup.zip"], ["pack", "a", "b", "c", "d"], ["unpack", "a.zip"]])
  func `wrong usage is refused`(_ arguments: [String]) async throws {
    #expect(try await Command(arguments, in: folder).status == 2)
  }

  @Test func `a file that is not an archive is not unpacked`() async throws {
    let run = try await Command("unpack", "in/metadata.json", "out", in: folder)
    #expect(run.status == 3)
    #expect(try folder.names == ["in"])
  }

  static let metadata = """
    {"version": 2, "exportDate": 1759415422000, "appVersion": "1.0", "format": "ZIP",
     "categories": [{"id": 1, "name": "family", "displayName": "Family", "position": 0, "isDefault": true, "createdAt": 1759312800000}],
     "photos": [{"id": 101, "path": "/p/dune.jpg", "categoryId": 1, "name": "dune.jpg", "isFromAssets": false, "createdAt": 1759320060000,
       "fileSize": 17, "width": 1200, "height": 900}],
     "settings": {"isDarkMode": false, "securitySettings":
       {"hasPIN": true, "hasPattern": false, "kidSafeModeEnabled": true, "deleteProtectionEnabled": false}},
     "photoManifest": [{"photoId": 101, "originalPath": "/p/dune.jpg", "zipEntryName": "photos/101_dune.jpg", "fileName": "101_dune.jpg",
       "fileSize": 17, "checksum": "b928a5b3c6e42c86858cb2a08dcda35d"}]}

    """
}
