package import SystemPackage

/// The standard streams of a run: those of the process, or files opened by a test.
package struct StandardStreams: Sendable {
  package let input: FileDescriptor
  package let output: FileDescriptor
  package let errors: FileDescriptor

  /// The streams of the current task's or thread's run.
  ///
  /// A task-local value, because ArgumentParser parses a command and runs it without parameters.
  @TaskLocal package static var current = StandardStreams(
    input: .standardInput, output: .standardOutput, errors: .standardError)

  package init(input: FileDescriptor, output: FileDescriptor, errors: FileDescriptor) {
    self.input = input
    self.output = output
    self.errors = errors
  }

  /// True if these are the process's own streams.
  package var belongToProcess: Bool { output == .standardOutput }
}
