/// A container that is open.
struct Frame: BitwiseCopyable {
  var isObject: Bool
  /// For arrays: items that match are counted; items have children by their index; items are to be unlike.
  var hasContains = false
  var hasPrefix = false
  var hasUniqueItems = false
  /// For arrays: records of equal keys are compared as a whole.
  var comparesRecords = false
  /// For objects: one state is active, and asks no more of a member than its name and its value.
  var isPlain = false
  /// Of those: the first of the words that say which required names were seen.
  var required: Int32 = 0
  var judgesNames = false
  /// Where the digest of the whole value is made; -1: nobody asks for it.
  var digest: Int32 = -1
  var firstActive: Int32
  var activeCount: Int32
  /// How many items have ended; of an object, if somebody counts them, how many members have begun.
  var index = 0
  /// The member that the last key named: an entry of the program, or -1 where the arena holds the key as reports show it.
  var member: Int32 = -1
  var keyStart: Int32
  var keyCount: Int32 = 0
  /// How many bytes that key has in the document.
  var keyLength: Int32 = 0
  var offset: Int
  /// 0: not looked up yet; then the offset lies in the current batch.
  var line = 0
  var column = 0
  /// The heights to which the other stacks fall when this container ends.
  var words: Int32
  var captures: Int32
  var cells: Int32
  var scopedSets: Int32
  var uniqueSets: Int32
  var gatherings: Int32
  var askers: Int32
  /// How many findings of branches waited when it began.
  var pending: Int32

  /// Whether the values in it are to be digested.
  var wantsDigests: Bool { digest >= 0 || hasUniqueItems || comparesRecords }
}
