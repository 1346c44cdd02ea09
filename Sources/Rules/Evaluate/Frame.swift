/// An open container.
struct Frame: BitwiseCopyable {
  var isObject: Bool
  /// The needs of an array: a visit at the end of each item, children by index or the end of a document, unique items.
  var visitsItems = false
  var entersItems = false
  var hasUniqueItems = false
  /// True if an array's records with equal keys are compared as a whole.
  var comparesRecords = false
  /// True if only one state is active for an object, and it only checks the names and values of members.
  var isPlain = false
  /// The first of the words that record which required names of a plain object were seen.
  var required: Int32 = 0
  /// True if each member's name is visited.
  var visitsNames = false
  /// The index of the whole value's digest, or -1 if it isn't needed.
  var digest: Int32 = -1
  var firstActive: Int32
  var activeCount: Int32
  /// The number of items that have ended; for an object, the number of members that have begun, if they are counted.
  var index = 0
  /// The member of the last key: an entry of the program, or -1 if `keyBytes` holds the key as shown in reports.
  var member: Int32 = -1
  var keyStart: Int32
  var keyCount: Int32 = 0
  /// The length of that key in the document, in bytes.
  var keyLength: Int32 = 0
  var offset: Int
  /// The line. 0 if it hasn't been looked up yet, and the offset is in the current batch.
  var line = 0
  var column = 0
  /// The heights to which the other stacks return when this container ends.
  var words: Int32
  var captures: Int32
  var cells: Int32
  var scopedSets: Int32
  var uniqueSets: Int32
  var aggregates: Int32
  var askers: Int32
  /// The number of pending branch findings when the container began, and the number of failures of branches until then.
  var pending: Int32
  var branchFailures: UInt32
  /// The steps for a member or an item, if there are many: see `StepBudget`.
  var valueSteps: Int32 = 0

  /// True if the values in it must be digested.
  var wantsDigests: Bool { digest >= 0 || hasUniqueItems || comparesRecords }
}
