/// A container that is open.
struct Frame: BitwiseCopyable {
  var isObject: Bool
  var hasContains = false
  var firstActive: Int32
  var activeCount: Int32
  /// How many items have ended.
  var index = 0
  /// The member that the last key named: an entry of the program, or -1 where the key's bytes stand in the arena.
  var member: Int32 = -1
  var keyStart: Int32
  var keyCount: Int32 = 0
  var offset: Int
  /// 0: not looked up yet; then the offset lies in the current batch.
  var line = 0
  var column = 0
  /// The heights to which the other stacks fall when this container ends.
  var words: Int32
  var captures: Int32
  var cells: Int32
  var scopedSets: Int32
  /// How many findings of branches waited when it began.
  var pending: Int32
}
