/// The places of one member that came with a later version of the format.
struct NewerMember: Sendable {
  var count = 0
  /// The first ones, and how many more are wanted.
  private(set) var subjects: [FindingSubject] = []
  private(set) var remaining: Int

  init(remaining: Int) { self.remaining = remaining }

  mutating func append(_ subject: FindingSubject) {
    subjects.append(subject)
    remaining -= 1
  }

  mutating func append(_ next: NewerMember) {
    count += next.count
    let wanted = next.subjects.prefix(remaining)
    subjects += wanted
    remaining -= wanted.count
  }
}
