/// The places of one member that a later version of the format introduced.
struct NewerMember: Sendable {
  var count = 0
  /// The first places, and how many more to keep.
  private(set) var subjects: [FindingSubject] = []
  private(set) var remaining: Int

  init(remaining: Int) { self.remaining = remaining }

  /// Restores a member, whose subjects are some of the `limit` that are to be kept.
  init(count: Int, subjects: [FindingSubject], limit: Int) {
    self.count = count
    self.subjects = subjects
    remaining = limit - subjects.count
  }

  mutating func append(_ subject: FindingSubject) {
    subjects.append(subject)
    remaining -= 1
  }

  /// Begins anew, for the next document.
  mutating func removeAll() {
    remaining += subjects.count
    (count, subjects) = (0, [])
  }

  mutating func append(_ next: NewerMember) {
    count += next.count
    let wanted = next.subjects.prefix(remaining)
    subjects += wanted
    remaining -= wanted.count
  }
}
