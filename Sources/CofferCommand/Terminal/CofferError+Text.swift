import Coffer
import SystemPackage

extension CofferError {
  /// Returns the error in one line, which begins with the name of the file that it is about, and the place in it:
  /// `rules.json:2:3: there is no keyword 'tpye' at /tpye`. A hint follows, if there is one, and the number of further errors.
  ///
  /// - Parameters:
  ///   - inputs: the names of the inputs. The first one names the input of an error that names none.
  ///   - rules: the name of the requested rules. The error may be in a document that they refer to.
  func text(inputs: [String], rules: String) -> String {
    let hint = Hint.text(for: self).map { "; \($0)" } ?? ""
    let further = furtherCount > 0 ? "; \(furtherCount.counted("further error")): 'coffer rules check' lists all" : ""
    return line(inputs: inputs, rules: rules) + hint + further
  }

  private func line(inputs: [String], rules: String) -> String {
    if [.unknownCollection, .noCollections].contains(code) { return "--only: \(message)" }
    let file = place.document ?? (code == .invalidRules ? rules : inputs.first ?? "the input")
    guard let position = place.position else {
      if place.entry != nil { return "\(file): \(messageWithEntry) [\(code.rawValue)]" }
      return namesFile(among: inputs) ? message : "\(file): \(message)"
    }
    let start = "\(file):\(position.line):\(position.column): \(messageWithEntry)"
    guard let pointer = place.pointer else { return "\(start) (byte \(position.offset))" }
    return "\(start) at \(pointer.isEmpty ? "the root" : pointer)"
  }
}

extension CofferError {
  /// True if the message names the file: errors of the system do, and others that begin with the name of an input.
  private func namesFile(among inputs: [String]) -> Bool {
    if underlying is Errno || [.alreadyExists, .locked, .planMismatch, .damagedPartial].contains(code) { return true }
    return inputs.contains { name in
      guard message.hasPrefix(name), let next = message.dropFirst(name.count).first else { return false }
      return " :,'".contains(next)
    }
  }
}

extension ExitStatus {
  /// Prints the error that ended a command, and returns what to throw.
  ///
  /// - Parameters:
  ///   - inputs: the names of the inputs. The first one names the input of an error that names none.
  ///   - rules: the name of the requested rules.
  ///   - hints: what to add to the errors with these codes.
  static func ending(
    with error: any Error, inputs: [String], rules: String? = nil, hints: [CofferError.Code: String] = [:]
  ) -> any Error {
    if error is CancellationError { return Interruption.status }
    guard let error = error as? CofferError else { return error }
    // The reader has closed the pipe: that is not a failure.
    if error.code == .brokenPipe { return ExitStatus.success }
    if error.code == .cancelled { return Interruption.status }
    if let cause = error.underlying as? FindingsError { Output.printNotice(of: cause.report) }
    Output.printError(error.text(inputs: inputs, rules: rules ?? "the rules") + (hints[error.code] ?? ""))
    return ExitStatus(error)
  }
}
