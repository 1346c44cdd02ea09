import Coffer
import Testing

/// SmilePile's metadata.json: the example documents are valid, and each change to them gives its findings.
@Suite struct SmilePileTests {
  typealias Mutation = FormatSheet.Mutation

  /// One change for each kind of finding that needs no photo.
  static let mutations = [
    Mutation("/version", "3", "version /version"),
    Mutation("/photos/0/categoryId", "7", "foreign-key /photos/0/categoryId"),
    Mutation("/photos/1/createdAt", "1759330000", "exclusive-minimum /photos/1/createdAt", severity: .warning),
    Mutation("/photos/1/id", "101", "primary-key /photos/1/id", "foreign-key /photoManifest/1/photoId"),
    Mutation("/categories/1/colorHex", #""3FA7D6""#, "format /categories/1/colorHex", severity: .warning),
    Mutation("/categories/1/name", #""Family""#, "unique-key /categories/1/name", severity: .warning),
    Mutation("/photoManifest/1/fileName", #""103_cake.jpg""#, "consistency /photoManifest/1/zipEntryName", severity: .warning),
    Mutation("/photoManifest/0/photoId", "500", "foreign-key /photoManifest/0/photoId"),
    Mutation("/settings/securitySettings/hasPIN", #""1234""#, "type /settings/securitySettings/hasPIN"),
    Mutation("/categories/0/displayName", nil, "required /categories/0/displayName"),
  ]

  static let sha256 = #""03ac674216f3e15c761ee1a5e255f067953623c8b388b4459e13f978d7c846f4""#

  /// One change for each further rule.
  static let more = [
    Mutation("/version", "0", "version /version"),
    Mutation("/version", #""2""#, "type /version"),
    Mutation("/version", "1", "consistency /format", severity: .warning),
    Mutation("/format", #""JSON""#, "consistency /format", severity: .warning),
    Mutation("/format", #""XML""#, "enum /format", severity: .warning),
    Mutation("/exportDate", "1959415422000", "format-maximum /exportDate", severity: .warning),
    Mutation("/exportDate", #""2025-10-02T14:30:22Z""#, "type /exportDate"),
    Mutation("/exportDate", nil, "dialect /exportDate", severity: .warning),
    Mutation("/appVersion", nil, "dialect /appVersion", severity: .warning),
    Mutation("/photos/0/width", nil, "dialect /photos/0/width", severity: .warning),
    Mutation("/photos/0/isFromAssets", nil),
    Mutation("/categories/1/isDefault", nil, "dialect /categories/1/isDefault", severity: .warning),
    Mutation("/photos/0/createdAt", "1759615422000", "format-maximum /photos/0/createdAt", severity: .warning),
    Mutation("/photos/0/fileSize", "-1", "minimum /photos/0/fileSize", severity: .warning),
    Mutation(
      "/photos/0/path", #""""#, "min-length /photos/0/path",
      "consistency /photoManifest/0/originalPath", severity: .warning),
    Mutation("/photoManifest/0", nil, "file-missing /photos/0/path", severity: .warning),
    Mutation("/photos/0/id", "9223372036854775808", "maximum /photos/0/id", "foreign-key /photoManifest/0/photoId"),
    Mutation("/categories/0/position", "-1", "minimum /categories/0/position", severity: .warning),
    Mutation("/categories/1/id", "1", "primary-key /categories/1/id", "foreign-key /photos/0/categoryId"),
    Mutation("/categories/1/displayName", #""FAMILY""#, "unique-key /categories/1/displayName", severity: .warning),
    Mutation("/categories/1/displayName", #"" ""#, "pattern /categories/1/displayName", severity: .warning),
    Mutation(
      "/photoManifest/1/photoId", "101", "primary-key /photoManifest/1/photoId error",
      "consistency /photoManifest/1/originalPath", severity: .warning),
    Mutation(
      "/photoManifest/1/originalPath", #""elsewhere""#, "consistency /photoManifest/1/originalPath",
      "file-missing /photos/1/path", severity: .warning),
    Mutation(
      "/photoManifest/1/zipEntryName", #""photos/101_dune.jpg""#, "unique-key /photoManifest/1/zipEntryName error",
      "consistency /photoManifest/1/zipEntryName", severity: .warning),
    Mutation(
      "/photoManifest/1/zipEntryName", #""../102_cake.jpg""#, "path-unsafe /photoManifest/1/zipEntryName"),
    Mutation(
      "/photoManifest/1/fileName", #""a\\b.jpg""#, "path-unsafe /photoManifest/1/fileName error",
      "consistency /photoManifest/1/zipEntryName", severity: .warning),
    Mutation("/photoManifest/1/checksum", #""3B611FEA""#, "checksum /photoManifest/1/checksum"),
    Mutation("/photoManifest/1/checksum", nil),
    Mutation("/photoManifest/1/fileSize", "0"),
    Mutation("/settings/securitySettings/pinHash", #""81dc9bdb""#, "type /settings/securitySettings/pinHash"),
    Mutation("/settings/securitySettings/pinHash", sha256, "type /settings/securitySettings/pinHash", severity: .warning),
    Mutation(
      "/settings/securitySettings/pinSalt", #""c2FsdA==""#, "unknown-field /settings/securitySettings/pinSalt", severity: .note),
    Mutation("/settings/securitySettings/hasPIN", sha256, "type /settings/securitySettings/hasPIN"),
    Mutation("/settings/securitySettings/cameraAccessAllowed", "true"),
    Mutation("/settings/securitySettings/hasPattern", nil, "required /settings/securitySettings/hasPattern"),
    Mutation("/settings/isDarkMode", "0", "type /settings/isDarkMode"),
    Mutation("/extra", "1", "unknown-field /extra", severity: .note),
  ]

  /// Unusual values: the behaviour of the shipped app, and Coffer's findings.
  static let table: [FormatSheet.Line] = [
    .init("/pin", #""1234""#, app: "ignores it", "type /pin error"),
    .init("/settings/userPin", #""1234""#, app: "ignores it", "type /settings/userPin error"),
    .init(
      "/settings/account", #"{"password": "x", "devices": [{"pinHash": "81dc"}]}"#, app: "ignores it",
      "unknown-field /settings/account note", "type /settings/account/password error",
      "type /settings/account/devices/0/pinHash error"),
    .init("/photos/0/patternHash", #""81dc9bdb""#, app: "ignores it", "type /photos/0/patternHash error"),
    .init("/photos/0/isPinned", "true", app: "ignores it", "unknown-field /photos/0/isPinned note"),
    .init("/photos/0/spinning", #""left""#, app: "ignores it", "unknown-field /photos/0/spinning note"),
    .init("/photos/0/createdAt", "9223372036854775808", app: "refuses the file", "maximum /photos/0/createdAt error"),
    .init("/categories/0/position", "2147483648", app: "refuses the file (iOS)", "dialect /categories/0/position warning"),
    .init("/categories/0/colorHex", "null", app: "reads it, and never writes it", "null /categories/0/colorHex note"),
    .init("/photoManifest/0/checksum", "null", app: "reads it, and never writes it", "null /photoManifest/0/checksum note"),
    .init(
      "/photos/1/path", #""/data/user/0/sample.app/files/photos/dune.jpg""#, app: "skips the second when merging (Android)",
      "unique-key /photos/1/path warning", "consistency /photoManifest/1/originalPath warning"),
    .init("/photos/0/categoryId", #""1""#, app: "refuses the file", "type /photos/0/categoryId error"),
    .init(
      "/photoManifest", "[]", app: "restores no photo", "file-missing /photos/0/path warning",
      "file-missing /photos/1/path warning"),
    .init(
      "/photoManifest", nil, app: "restores no photo", "dialect /photoManifest warning", "file-missing /photos/0/path warning",
      "file-missing /photos/1/path warning"),
  ]

  @Test(arguments: table)
  func `Coffer reports what the app does with unusual values`(_ line: FormatSheet.Line) throws {
    try FormatSheet.expect(line, in: "smilepile", of: "smilepile")
  }

  @Test(arguments: mutations + more)
  func `each changed value gives exactly its findings`(_ mutation: Mutation) throws {
    try FormatSheet.expect(mutation, in: "smilepile", of: "smilepile")
  }

  /// The most complete example, with one digest or size changed, is valid as long as the photos are missing.
  @Test(arguments: [
    Mutation("/photoManifest/0/checksum", #""ffffffffffffffffffffffffffffffff""#), Mutation("/photoManifest/1/fileSize", "999"),
  ])
  func `checksums and sizes of photos are not checked without the photos`(_ mutation: Mutation) throws {
    #expect(try FormatSheet.lines("smilepile", [mutation]) == [])
  }

  @Test(arguments: [
    ("smilepile", [], "iOS"), ("smilepile-android", [], "Android, metadata of a ZIP"),
    ("smilepile-android-v1", [], "Android, bare JSON"),
    ("smilepile-android-v1", [Mutation("/version", nil), Mutation("/format", nil)], "Android, bare JSON as it was first"),
    (
      "smilepile-android-v1",
      [
        Mutation("/version", nil), Mutation("/format", nil), Mutation("/photos/0/isFavorite", "true"),
        Mutation("/settings/securitySettings/cameraAccessAllowed", "true"),
      ], "Android, bare JSON as it was first"
    ),
  ])
  func `each example is valid and has its dialect`(_ file: String, _ changes: [Mutation], _ dialect: String) throws {
    let report = try Validating.report(on: try FormatSheet.changed(file, changes))
    #expect(report.format == "smilepile")
    #expect(report.dialect == dialect)
    #expect(FormatSheet.lines(report) == [])
  }

  /// Only the iOS app writes sizes of 0.
  @Test func `a photo of the iOS app needs each of its fields`() throws {
    for field in ["isFromAssets", "width", "height"] {
      let changes = [Mutation("/photos/1/fileSize", "0"), Mutation("/photos/1/\(field)", nil)]
      #expect(try FormatSheet.lines("smilepile", changes) == ["dialect /photos/1/\(field) warning"])
    }
  }

  @Test func `a photo manifest in a document of the format JSON is a warning`() throws {
    #expect(
      try FormatSheet.lines("smilepile-android", [Mutation("/format", #""JSON""#)]) == ["consistency /format warning"])
  }

  @Test func `the container decides the version of a document that has none`() throws {
    let format = try #require(FormatCatalog.builtIn["smilepile"])
    #expect(format.version?.ifAbsent == [.zip: 2, .json: 1])
  }

  @Test func `a gallery export has no known format, and SmilePile is the nearest`() throws {
    let changes = [Mutation("/categoriesCount", "2"), Mutation("/photosCount", "2"), Mutation("/categories", nil)]
    let report = try Validating.report(on: try FormatSheet.changed("smilepile-android", changes))
    #expect(report.format == nil)
    #expect(report.candidates.first?.name == "smilepile")
    #expect(report.candidates.first?.missing == ["/categoriesCount exists or /exportOptions exists"])
  }
}
