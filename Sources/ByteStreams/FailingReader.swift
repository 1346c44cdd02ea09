/// A reader that can't continue after an error.
package protocol FailingReader: AnyObject {
  /// The first error.
  var failure: CofferError? { get set }
}

extension FailingReader {
  /// Repeats the first error on every later call.
  package func orFail<R>(_ body: () throws(CofferError) -> R) throws(CofferError) -> R {
    if let failure { throw failure }
    do throws(CofferError) {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }
}
