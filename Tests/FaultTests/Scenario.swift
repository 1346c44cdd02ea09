import SystemPackage

/// A command and the folder that it runs in.
struct Scenario: Sendable {
  let name: String
  var executable: String
  let arguments: [String]
  /// The folder that each trial runs in a fresh copy of.
  let template: FilePath
  /// True if the command removes files one by one in the order of their names, so that there are states between before and after.
  var mayStopBetween = false

  init(_ name: String, executable: String, _ arguments: [String], in template: FilePath, mayStopBetween: Bool = false) {
    self.name = name
    self.executable = executable
    self.arguments = arguments
    self.template = template
    self.mayStopBetween = mayStopBetween
  }
}
