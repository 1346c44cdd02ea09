import Coffer
import Foundation
import TestSupport
import Testing

/// The formats' example documents, and changes to them.
enum FormatSheet {
  /// One change to an example, and the resulting findings.
  struct Mutation: CustomTestStringConvertible, Sendable {
    /// A JSON Pointer without escapes; `-` after an array's pointer appends an item.
    let path: String
    /// JSON text; `nil` removes the value.
    let value: String?
    /// `code /pointer`, followed by the severity if it isn't the common one.
    let findings: [String]

    init(_ path: String, _ value: String?, _ findings: String..., severity: Severity = .error) {
      self.init(path, value, findings.map { $0.split(separator: " ").count > 2 ? $0 : "\($0) \(severity.rawValue)" })
    }

    fileprivate init(_ path: String, _ value: String?, _ findings: [String]) {
      self.path = path
      self.value = value
      self.findings = findings
    }

    /// A number as written, because Foundation would spell it differently.
    fileprivate var number: String? { value.flatMap { $0.first?.isNumber == true || $0.first == "-" ? $0 : nil } }

    var testDescription: String { "\(path) = \(value ?? "removed")" }
  }

  /// A line of a format's table: an input, the app's behaviour, and Coffer's findings.
  struct Line: CustomTestStringConvertible, Sendable {
    let mutation: Mutation
    let app: String

    /// - Parameter findings: `code /pointer severity`.
    init(_ path: String, _ value: String?, app: String, _ findings: String...) {
      self.app = app
      mutation = Mutation(path, value, findings)
    }

    var testDescription: String { "\(mutation.testDescription): the app \(app)" }
  }

  /// Expects the findings of a line when its input is put into an example.
  static func expect(_ line: Line, in example: String, of format: String, _ location: SourceLocation = #_sourceLocation) throws {
    try expect(line.mutation, in: example, of: format, location)
  }

  /// Expects the findings of a change to an example, and no others.
  static func expect(
    _ mutation: Mutation, in example: String, of format: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let report = try Validating.report(on: try changed(example, [mutation]))
    #expect(report.format == format, sourceLocation: location)
    #expect(lines(report) == mutation.findings.sorted(), sourceLocation: location)
  }

  static func example(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Checkout.formatExamples.appending(path: "\(name).json")))
  }

  /// Returns the findings in a changed example, in the notation of ``Mutation/findings``, sorted.
  static func lines(_ example: String, _ changes: [Mutation], as rules: RuleSource? = nil) throws -> [String] {
    lines(try Validating.report(on: try changed(example, changes), rules: rules))
  }

  static func lines(_ report: ValidationReport) -> [String] {
    var lines = report.findings.map { "\($0.code) \($0.place.pointer) \($0.severity.rawValue)" }
    if let error = report.error { lines.append("\(error.code): \(error.message)") }
    return lines.sorted()
  }

  static func changed(_ example: String, _ changes: [Mutation]) throws -> [UInt8] {
    var document = try JSONSerialization.jsonObject(with: Data(try self.example(example)))
    for (index, change) in changes.enumerated() {
      let value = try change.value.map { change.number == nil ? $0 : "\"number \(index)\"" }.map {
        try JSONSerialization.jsonObject(with: Data($0.utf8), options: [.fragmentsAllowed])
      }
      document = try replacing(change.path.split(separator: "/").map(String.init)[...], in: document, by: value)
    }
    var text = String(decoding: try JSONSerialization.data(withJSONObject: document, options: [.sortedKeys]), as: UTF8.self)
    for (index, change) in changes.enumerated() {
      if let number = change.number { text = text.replacing("\"number \(index)\"", with: number) }
    }
    return Array(text.utf8)
  }

  private static func replacing(_ path: ArraySlice<String>, in document: Any, by value: Any?) throws -> Any {
    let token = try #require(path.first)
    let isLast = path.count == 1
    if var object = document as? [String: Any] {
      object[token] = isLast ? value : try replacing(path.dropFirst(), in: #require(object[token]), by: value)
      return object
    }
    var array = try #require(document as? [Any])
    if token == "-" { return array + [try #require(value)] }
    let index = try #require(Int(token))
    if !isLast {
      array[index] = try replacing(path.dropFirst(), in: array[index], by: value)
    } else if let value {
      array[index] = value
    } else {
      array.remove(at: index)
    }
    return array
  }
}
