import Platform

/// An array with one owner: no reference counts, no copies; the elements can be noncopyable, too.
///
/// The evaluator pushes and pops a few elements for every container of the document; `Array` checks for uniqueness each time. And
/// reference counts would cost more than their instructions: each is a fence that keeps the processor from looking ahead for the
/// next memory access, and a table larger than the caches depends on many accesses in parallel.
///
/// Indices come from the owner, never from the document; debug builds check them.
struct UniqueArray<Element: ~Copyable>: ~Copyable {
  /// `nil` as long as there is no capacity.
  private var base: UnsafeMutablePointer<Element>?
  private var capacity = 0
  private(set) var count = 0

  init() {}

  init(capacity: Int) { reserve(capacity) }

  deinit {
    base?.deinitialize(count: count)
    free(base)
  }

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  subscript(index: Int) -> Element {
    _read {
      assert(index >= 0 && index < count, "index outside the array")
      yield base.unsafelyUnwrapped[index]
    }
    _modify {
      assert(index >= 0 && index < count, "index outside the array")
      yield &base.unsafelyUnwrapped[index]
    }
  }

  @inline(__always)
  mutating func append(_ element: consuming Element) {
    if count == capacity { reserve(max(4, count * 2)) }
    (base.unsafelyUnwrapped + count).initialize(to: element)
    count += 1
  }

  /// `realloc` can remap a large array instead of copying it.
  @inline(never)
  private mutating func reserve(_ capacity: Int) {
    let size = max(1, capacity * MemoryLayout<Element>.stride)
    guard let memory = realloc(base, size) else { fatalError("out of memory: \(size) bytes") }
    base = memory.assumingMemoryBound(to: Element.self)
    self.capacity = capacity
  }

  /// Queues the memory of the element at `index`.
  @inline(__always)
  func fetch(_ index: Int, through fetches: inout MemoryFetches) {
    assert(index >= 0 && index < count, "index outside the array")
    fetches.append(UnsafeRawPointer(base.unsafelyUnwrapped + index))
  }

  mutating func removeLast() -> Element {
    precondition(count > 0, "the array is empty")
    count -= 1
    return (base.unsafelyUnwrapped + count).move()
  }
}

extension UniqueArray where Element: BitwiseCopyable {
  /// Appends `element` until there are `count` elements. Allocates no more memory than they need.
  mutating func append(_ element: Element, until count: Int) {
    reserve(count)
    (base.unsafelyUnwrapped + self.count).initialize(repeating: element, count: count - self.count)
    self.count = count
  }

  mutating func append(repeating element: Element, count added: Int) {
    makeRoom(for: added)
    (base.unsafelyUnwrapped + count).initialize(repeating: element, count: added)
    count += added
  }

  mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
    guard let first = elements.baseAddress else { return }
    makeRoom(for: elements.count)
    (base.unsafelyUnwrapped + count).initialize(from: first, count: elements.count)
    count += elements.count
  }

  /// Appends the element that was removed last, unchanged. The caller must know that it was, and that nothing was appended since.
  @inline(__always)
  mutating func appendRemoved() {
    precondition(count < capacity, "there is no memory of removed elements")
    count &+= 1
  }

  private mutating func makeRoom(for added: Int) {
    if base == nil || count + added > capacity { reserve(max(count + added, capacity * 2, 1)) }
  }

  /// Removes all elements from `height` on.
  @inline(__always)
  mutating func removeAll(from height: Int) {
    precondition(height >= 0 && height <= count, "height outside the array")
    count = height
  }

  /// Calls `body` with some of the elements.
  func withElements<R>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<Element>) -> R) -> R {
    precondition(range.upperBound <= count, "outside the array")
    return body(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(start: base, count: count)[range]))
  }

  /// A copy of the elements.
  var array: [Element] { Array(UnsafeBufferPointer(start: base, count: count)) }

  mutating func replaceAll(with elements: [Element]) {
    count = 0
    elements.withUnsafeBufferPointer { append(contentsOf: $0) }
  }
}
