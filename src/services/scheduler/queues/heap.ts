/**
 * A binary min-heap in a plain array. A node knows its position, so that any node can be removed; it is in at most one
 * heap at a time. Ties are broken by id, so the order never depends on how the heap was filled.
 */
export type HeapNode = {
  readonly id: number
  /** The key it has in its heap, or had in the last one. */
  key: number
  /** Index in the array of its heap; -1 outside any heap. */
  heapIndex: number
}

export function pushNode<T extends HeapNode>(heap: T[], node: T, key: number): void {
  node.key = key
  heap.push(node)
  siftUp(heap, node, heap.length - 1)
}

export function removeNode<T extends HeapNode>(heap: T[], node: T): void {
  const index = node.heapIndex
  const last = heap.pop()!
  node.heapIndex = -1
  if (last === node) return
  if (index > 0 && isBefore(last, heap[(index - 1) >> 1]!)) siftUp(heap, last, index)
  else siftDown(heap, last, index)
}

export function popNode<T extends HeapNode>(heap: T[]): T | undefined {
  const first = heap[0]
  if (first !== undefined) removeNode(heap, first)
  return first
}

function isBefore(a: HeapNode, b: HeapNode): boolean {
  return a.key < b.key || (a.key === b.key && a.id < b.id)
}

function siftUp<T extends HeapNode>(heap: T[], node: T, from: number): void {
  let index = from
  while (index > 0) {
    const above = heap[(index - 1) >> 1]!
    if (!isBefore(node, above)) break
    heap[index] = above
    above.heapIndex = index
    index = (index - 1) >> 1
  }
  heap[index] = node
  node.heapIndex = index
}

function siftDown<T extends HeapNode>(heap: T[], node: T, from: number): void {
  let index = from
  for (let child = 2 * index + 1; child < heap.length; child = 2 * index + 1) {
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
    const below = heap[child]!
    if (!isBefore(below, node)) break
    heap[index] = below
    below.heapIndex = index
    index = child
  }
  heap[index] = node
  node.heapIndex = index
}
