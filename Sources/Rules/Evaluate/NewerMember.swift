/// The places of one member that a later version of the format introduced.
struct NewerMember: Sendable {
  var count = 0
  /// The first places, and how many more to keep.
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
