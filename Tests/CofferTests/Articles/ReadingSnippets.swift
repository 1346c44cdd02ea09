import Coffer
import Foundation
import Synchronization

/// The code in "Read a backup larger than memory", which is compared with the article.
enum ReadingSnippets {
  // snippet: record
  struct Expense: Decodable, Sendable {
    var id: Int
    var date: Date
    var cost: Decimal
  }
  // end

  static func sum(path: String) async throws -> Decimal {
    // snippet: records
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601

    var total = Decimal(0)
    for try await expense in Backup(path: path).records(Expense.self, at: "/expenses", decoder: decoder) {
      total += expense.cost
    }
    // end
    return total
  }

  static func explain(path: String, decoder: JSONDecoder) async throws -> String {
    // snippet: errors
    do {
      for try await _ in Backup(path: path).records(Expense.self, at: "/expenses", decoder: decoder) {}
    } catch let error as CofferError where error.code == .decoding {
      return "\(error.place.pointer ?? ""), line \(error.place.position?.line ?? 0): \(error.message)"
    } catch let error as CofferError {
      return "\(error)"
    }
    // end
    return "valid"
  }

  static func ids<Body: AsyncSequence & Sendable>(of body: Body) async throws -> [Int] where Body.Element == [UInt8] {
    // snippet: streams
    let backup = Backup(chunks: body, named: "the download", syntax: .jsonLines)
    var ids: [Int] = []
    for try await expense in backup.records(Expense.self, at: "") {
      ids.append(expense.id)
    }
    // end
    return ids
  }

  static func names(path: String) async throws -> Set<String> {
    // snippet: events
    let names = Mutex<Set<String>>([])
    try await Backup(path: path).events { events in
      for index in 0..<events.count where events.kind(at: index) == .key {
        let name = events.text(at: index)
        names.withLock { _ = $0.insert(name) }
      }
    }
    // end
    return names.withLock { $0 }
  }
}
