// snippet: saving
import Coffer
import CofferSQLite
import GRDB

struct Expense: Codable, PersistableRecord, Sendable {
  var id: Int
  var cost: Double
}

/// Saves expenses while the user edits them.
func edit(_ expenses: [Expense], in database: DatabaseQueue) async throws {
  let autosave = Autosave<Int, DatabaseChange>(database)
  for expense in expenses { await autosave.change(.save(expense), for: expense.id) }
  await autosave.change(.delete(expenses[0]), for: expenses[0].id)
  try await autosave.end()
}
// end

// snippet: states
/// Describes what an autosave does.
func describe(_ autosave: Autosave<Int, DatabaseChange>, show: (String) -> Void) async {
  for await state in autosave.states {
    switch state {
    case .saved, .ended: show("saved")
    case .waiting(let changes): show("\(changes) unsaved")
    case .saving(let done, let count): show("saving \(done) of \(count)")
    case .failed(let error, _, let pause): show("not saved: \(error); next attempt in \(pause)")
    }
  }
}
// end
