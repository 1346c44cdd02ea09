import Testing

@testable import Coffer

@Suite struct CollectionSelectionTests {
  private let format: BackupFormat

  init() throws {
    format = try BackupFormat(
      descriptor: #"""
        {"$schema": "urn:coffer:rules:1",
         "backup": {"name": "test", "collections": {"/planned": {"title": "maintenance"}}},
         "properties": {
           "cars": {"items": {"properties": {"id": {"type": "integer"}}}},
           "expenses": {"items": {}},
           "planned": {"items": {}}}}
        """#)
  }

  @Test(arguments: [
    (["cars"], ["/cars"]), (["/cars"], ["/cars"]), (["maintenance"], ["/planned"]), (["planned"], ["/planned"]),
    (["expenses", "cars"], ["/cars", "/expenses"]),
  ])
  func `collections are selected by title, name or pointer`(names: [String], pointers: [String]) throws {
    let choice = try CollectionSelection(names).choice(from: format)
    #expect(choice.kept == pointers)
    #expect(Set(choice.kept + choice.leftOut) == ["/cars", "/expenses", "/planned"])
  }

  @Test func `the titles of omitted collections are listed`() throws {
    #expect(try CollectionSelection(["cars"]).choice(from: format).leftOutTitles == ["expenses", "maintenance"])
  }

  @Test func `an unknown name is an error that lists the known ones`() throws {
    let error = #expect(throws: CofferError.self) { try CollectionSelection(["car"]).choice(from: format) }
    #expect(error?.code == .unknownCollection)
    #expect(error?.message == "test has no collection 'car': it has cars, expenses, maintenance; did you mean 'cars'?")
    #expect(throws: CofferError.self) { try CollectionSelection(["/Cars"]).choice(from: format) }
  }

  @Test(arguments: [("cars,expenses", ["cars", "expenses"]), (" cars , /a b ", ["cars", "/a b"]), (",", []), ("a", ["a"])])
  func `a list of names is split at commas`(list: String, names: [String]) {
    #expect(CollectionSelection(list: list).names == names)
  }
}
