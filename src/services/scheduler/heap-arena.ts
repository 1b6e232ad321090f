import { grown } from './slot-table.ts'

/**
 * Many heaps and chains over one set of slots: the watches that wait for their time, those that are ready on each lane, those that
 * are held by each budget. A slot is in one of them at a time, so all share three links and a key per slot, and an empty
 * heap costs its owner one number: its root, -1. They are pairing heaps: `push` costs a comparison, `pop` and `remove`
 * are logarithmic on average, and no heap ever moves in memory.
 */
export type HeapArena = {
  /** Puts a slot that is in no heap into the heap of this root; answers with the new root, as all changes do. */
  push(root: number, slot: number, key: number): number
  /** Takes out the root itself, the slot with the least key. */
  pop(root: number): number
  remove(root: number, slot: number): number
  /** Puts a slot into a chain, which has no order, and answers with its new head: -1 is the head of an empty one. */
  prepend(head: number, slot: number, key: number): number
  unlink(head: number, slot: number): number
  /** The next in the chain. */
  after(slot: number): number
  /** The key that a slot has, or had last. */
  keyOf(slot: number): number
  grow(capacity: number): void
}

export type HeapArenaOptions = {
  capacity: number
  /** Whether `a` goes before `b` where their keys are equal. */
  breaksTie(a: number, b: number): boolean
}

export function createHeapArena({ capacity, breaksTie }: HeapArenaOptions): HeapArena {
  let keys = new Float64Array(capacity)
  let child = new Int32Array(capacity)
  /** The sibling to the right. */
  let right = new Int32Array(capacity)
  /** The sibling to the left; of a first child its parent. */
  let left = new Int32Array(capacity)

  /** Makes one heap of two; the roots have no siblings. */
  function link(a: number, b: number): number {
    const keyA = keys[a]!
    const keyB = keys[b]!
    const first = keyA < keyB || (keyA === keyB && breaksTie(a, b))
    const parent = first ? a : b
    const lower = first ? b : a
    const eldest = child[parent]!
    right[lower] = eldest
    if (eldest !== -1) left[eldest] = lower
    left[lower] = parent
    child[parent] = lower
    return parent
  }

  /** Siblings become one heap: in pairs from the left, then all pairs from the right, which keeps `pop` logarithmic. */
  function join(first: number): number {
    let pairs = -1
    for (let at = first; at !== -1; ) {
      const partner = right[at]!
      const rest = partner === -1 ? -1 : right[partner]!
      let pair = at
      if (partner !== -1) {
        right[at] = -1
        right[partner] = -1
        pair = link(at, partner)
      }
      right[pair] = pairs
      pairs = pair
      at = rest
    }
    if (pairs === -1) return -1
    let root = pairs
    let rest = right[root]!
    right[root] = -1
    while (rest !== -1) {
      const following = right[rest]!
      right[rest] = -1
      root = link(root, rest)
      rest = following
    }
    left[root] = -1
    return root
  }

  return {
    push(root, slot, key) {
      keys[slot] = key
      child[slot] = -1
      right[slot] = -1
      left[slot] = -1
      return root === -1 ? slot : link(root, slot)
    },
    pop: (root) => join(child[root]!),
    remove(root, slot) {
      const children = join(child[slot]!)
      if (slot === root) return children
      const before = left[slot]!
      const after = right[slot]!
      if (child[before] === slot) child[before] = after
      else right[before] = after
      if (after !== -1) left[after] = before
      return children === -1 ? root : link(root, children)
    },
    prepend(head, slot, key) {
      keys[slot] = key
      right[slot] = head
      left[slot] = -1
      if (head !== -1) left[head] = slot
      return slot
    },
    unlink(head, slot) {
      const before = left[slot]!
      const after = right[slot]!
      if (after !== -1) left[after] = before
      if (before === -1) return after
      right[before] = after
      return head
    },
    after: (slot) => right[slot]!,
    keyOf: (slot) => keys[slot]!,
    grow(capacity) {
      keys = grown(keys, capacity)
      child = grown(child, capacity)
      right = grown(right, capacity)
      left = grown(left, capacity)
    },
  }
}
