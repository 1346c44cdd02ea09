package import SystemPackage

/// The standard streams of a run: the process's own, or files that a test has opened.
package struct StandardStreams: Sendable {
  package let input: FileDescriptor
  package let output: FileDescriptor
  package let errors: FileDescriptor

  /// Those of the run that the current task or thread works for.
  ///
  /// A command is parsed, and then run without arguments, by ArgumentParser: there is no parameter to pass them in.
  @TaskLocal package static var current = StandardStreams(
    input: .standardInput, output: .standardOutput, errors: .standardError)

  package init(input: FileDescriptor, output: FileDescriptor, errors: FileDescriptor) {
    self.input = input
    self.output = output
    self.errors = errors
  }

  /// Whether they are the process's own.
  package var belongToProcess: Bool { output == .standardOutput }
}
