/// A record's field, kept until the record ends.
struct Capture: BitwiseCopyable {
  enum Status: UInt8, BitwiseCopyable { case absent, null, scalar, container }

  var status = Status.absent
  var value = KeyValue.none
  var offset = 0
  /// 0: not looked up yet.
  var line = 0
  var column = 0
}
