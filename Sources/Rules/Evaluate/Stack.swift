/// A stack of trivial values with its own memory: no reference counts, no copies.
///
/// The evaluator pushes and pops a few of these for every container of the document; `Array` checks for uniqueness each time.
/// Indices come from the evaluator, never from the document; debug builds check them.
struct Stack<Element: BitwiseCopyable>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 64
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(to: count + 1) }
    (base + count).initialize(to: element)
    count += 1
  }

  mutating func append(repeating element: Element, count added: Int) {
    if count + added > capacity { grow(to: count + added) }
    (base + count).initialize(repeating: element, count: added)
    count += added
  }

  mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
    guard let first = elements.baseAddress else { return }
    if count + elements.count > capacity { grow(to: count + elements.count) }
    (base + count).initialize(from: first, count: elements.count)
    count += elements.count
  }

  /// Removes all elements from `height` on.
  @inline(__always)
  mutating func removeAll(from height: Int) {
    precondition(height >= 0 && height <= count, "height outside the stack")
    count = height
  }

  /// A copy of the elements.
  var array: [Element] { Array(UnsafeBufferPointer(start: base, count: count)) }

  mutating func replaceAll(with elements: [Element]) {
    count = 0
    if elements.count > capacity { grow(to: elements.count) }
    base.initialize(from: elements, count: elements.count)
    count = elements.count
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    _read {
      assert(index >= 0 && index < count, "index outside the stack")
      yield base[index]
    }
    _modify {
      assert(index >= 0 && index < count, "index outside the stack")
      yield &base[index]
    }
  }

  private mutating func grow(to minimum: Int) {
    let larger = max(minimum, capacity * 2)
    let new = UnsafeMutablePointer<Element>.allocate(capacity: larger)
    new.moveInitialize(from: base, count: count)
    base.deallocate()
    base = new
    capacity = larger
  }
}
