/// The places of one member that came with a later version of the format.
struct NewerMember {
  var version: Int
  var count = 0
  var subjects: [FindingSubject] = []
}
