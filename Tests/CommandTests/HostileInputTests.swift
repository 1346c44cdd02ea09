#if os(Linux)
  import Testing

  /// Documents, rules, archives and names of every hostile shape in the tests: each is validated or refused within 300 MB and 20
  /// seconds of CPU time.
  ///
  /// Everyday runs use smaller inputs, which are as hostile but leave more room.
  @Suite struct HostileInputTests {
    static let inputs = HostileInput.documents + HostileInput.files + HostileInput.rules + HostileInput.yamlRules

    @Test(arguments: inputs)
    func `hostile input is handled within the limits`(_ input: HostileInput) async throws {
      let run = try await input.run()
      #expect(run.status == input.status, "\(run.errors.prefix(1000))")
      #expect(run.errors.utf8.count < 4 << 20)
      #expect(!HostileInput.drivesTerminal(run.output + run.errors))
    }

    @Test(arguments: inputs.filter { $0.rules != nil })
    func `hostile rules are checked within the limits`(_ input: HostileInput) async throws {
      let run = try await input.checkRules()
      #expect((0...3).contains(run.status), "\(run.errors.prefix(1000))")
    }
  }
#endif
