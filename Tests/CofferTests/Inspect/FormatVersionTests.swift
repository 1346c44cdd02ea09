import TestSupport
import Testing

@testable import Coffer

/// Inspection and migration agree on a document's version.
@Suite struct FormatVersionTests {
  /// Returns a format with versions 1 and 2, which documents give as a number or a string.
  private static func format(type: String, container: String? = nil) throws -> BackupFormat {
    let clue = container.map { #""when": {"container": "\#($0)"}, "# } ?? ""
    return try BackupFormat(
      descriptor: #"""
        {"$schema": "urn:coffer:rules:1", "type": "object",
         "properties": {"m": {"properties": {"v": {"type": "\#(type)"}}}},
         "backup": {"name": "x", "version": {"pointer": "/m/v", "current": 2, "oldest": 1},
                    "migrations": [{"to": 2, \#(clue)"steps": []}]}}
        """#)
  }

  @Test(
    arguments: [
      (#"{"m":{"v":1}}"#, "integer", 1, #"{"m":{"v":2}}"#), (#"{"m":{"v":1e0}}"#, "integer", 1, #"{"m":{"v":2}}"#),
      (#"{"m":{"v":1.0}}"#, "integer", 1, #"{"m":{"v":2}}"#), (#"{"m":{"v":20e-1}}"#, "integer", 2, #"{"m":{"v":20e-1}}"#),
      (#"{"m":{"v":"1"}}"#, "integer", nil, ""), (#"{"m":{"v":1.5}}"#, "integer", nil, ""),
      (#"{"m":{"v":1,"v":1}}"#, "integer", nil, ""), (#"{"m":{"v":1,"v":null}}"#, "integer", nil, ""),
      (#"{"m":{},"m":{"v":1}}"#, "integer", nil, ""), (#"{"m":{"v":[1]}}"#, "integer", nil, ""),
      (#"{"m":{"v":{}}}"#, "integer", nil, ""), (#"{"m":{"v":true}}"#, "integer", nil, ""), (#"{"m":[]}"#, "integer", nil, ""),
      (#"{"m":{"v":"1"}}"#, "string", 1, #"{"m":{"v":"2"}}"#), (#"{"m":{"v":"1.0"}}"#, "string", 1, #"{"m":{"v":"2"}}"#),
      (#"{"m":{"v":"\u0031"}}"#, "string", 1, #"{"m":{"v":"2"}}"#), (#"{"m":{"v":"2.0"}}"#, "string", 2, #"{"m":{"v":"2.0"}}"#),
      (#"{"m":{"v":"one"}}"#, "string", nil, ""), (#"{"m":{"v":""}}"#, "string", nil, ""),
      (#"{"m":{"v":1.\#(String(repeating: "0", count: 300))}}"#, "integer", 1, #"{"m":{"v":2}}"#),
    ] as [(String, String, Int?, String)])
  func `inspection and migration read the version in the same way`(
    document: String, type: String, number: Int?, migrated: String
  ) throws {
    let format = try Self.format(type: type)
    let inspection = try Inspecting.inspection(of: Array(document.utf8), rules: .format(format))
    #expect(inspection.version?.number == number)
    #expect(inspection.importability == (number.map { $0 == 2 ? .current : .older } ?? .noVersion))
    if number == nil {
      #expect(inspection.warnings.contains { $0.code == "version" })
      let error = #expect(throws: CofferError.self) { try Migrating.migrate(document, format) }
      #expect(error?.code == .noVersion)
    } else {
      #expect(try Migrating.migrate(document, format).text == migrated)
    }
  }

  @Test func `several versions in one document are a warning`() throws {
    let rules = RuleSource.format(try Self.format(type: "integer"))
    let inspection = try Inspecting.inspection(of: Array(#"{"m":{"v":1,"v":2}}"#.utf8), rules: rules)
    #expect(inspection.warnings.map(\.message) == ["the document declares several versions"])
  }

  /// Repeated values must not take memory.
  @Test func `a repeated version is stored once`() throws {
    let plan = InspectionPlan(try Self.format(type: "integer"), in: .json, prefix: [])
    let source = RepeatingSource(start: #"{"m":{"v":1"#, piece: #","v":2"#, count: 5000, end: "}}")
    let options = InspectionOptions(now: Inspecting.now)
    var pass = DocumentPass(source, for: InspectionConsumer(plan, limits: options.pass.limits), options: options.pass)
    try pass.run()
    #expect(pass.consumer.found.count == plan.pointers.count)
    #expect(pass.consumer.declaredVersion == .several)
  }

  @Test(arguments: ["json", "zip"])
  func `the container decides which migrations apply`(container: String) throws {
    let format = try Self.format(type: "integer", container: container)
    let document = Array(#"{"m":{"v":1}}"#.utf8)
    let inspector = Inspector(.format(format), options: InspectionOptions(now: Inspecting.now))
    let entry = OpenedDocument(MemorySource(document), named: "a.zip", in: .zip)
    let inZIP = try inspector.inspect(entry, by: .format(format)).inspection
    #expect(inZIP.migration?.version == (container == "zip" ? 2 : nil))
    let alone = try inspector.inspect(MemorySource(document), named: "a.json")
    #expect(alone.migration?.version == (container == "json" ? 2 : nil))
  }
}

@Suite struct FormatVersionExampleTests {
  /// The version is a string, as the format's specification says.
  @Test func `a version in a string is accepted if the format declares a string`() throws {
    let document = try FormatSheet.example("smilepile-spec-v1.backup_metadata")
    let inspection = try Inspecting.inspection(of: document, rules: .detected(.builtIn))
    #expect(inspection.version?.found == "1.0" && inspection.importability == .current)
    #expect(try Migrating.migrate(document, nil).report.hasChanged == false)
  }
}
