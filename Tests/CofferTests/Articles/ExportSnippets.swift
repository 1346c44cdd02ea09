import Coffer
import Foundation

/// The code in "Export records as they come".
enum ExportSnippets {
  struct Settings: Encodable {
    var currency: String
  }

  struct Expense: Codable, Sendable, Equatable {
    var id: Int
    var cost: Decimal
  }

  static func export<Rows: AsyncSequence>(_ expenses: Rows, settings: Settings, path: String) async throws
  where Rows.Element == Expense {
    // snippet: export
    var writer = try BackupWriter(path: path)
    try writer.write(9, as: "version")
    try writer.write(settings, as: "settings")
    try writer.beginCollection("expenses")
    for try await expense in expenses {
      try writer.append(expense)
    }
    try writer.finish()
    // end
  }

  static func exportLines(_ expenses: [Expense], path: String) throws {
    // snippet: lines
    var writer = try BackupWriter(path: path, existing: .keep)  // "expenses.jsonl"
    for expense in expenses {
      try writer.append(expense)
    }
    try writer.finish()
    // end
  }

  static func pretty(_ expenses: [Expense]) throws -> [UInt8] {
    // snippet: pretty
    var options = BackupWriterOptions()
    options.shape = .array
    options.layout = .pretty(indent: 2)
    var writer = BackupWriter(to: MemorySink(), options: options)
    for expense in expenses {
      try writer.append(expense)
    }
    let bytes = try writer.finish().bytes
    // end
    return bytes
  }
}
