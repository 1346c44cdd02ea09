/// One of several that ask a shared state of the same value: an active state of the container around, and its slot that fails with the value.
struct Asker: BitwiseCopyable, Hashable {
  var active: Int32
  var slot: UInt16
}
