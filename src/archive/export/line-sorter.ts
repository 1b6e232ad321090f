import { closeSync, mkdtempSync, openSync, readSync, rmdirSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Sorts lines bytewise, also more than fit into memory (external merge sort): lines are collected up to a size, sorted and written as a
 * run, and finally all runs are merged. Lines are ASCII and have no line feed.
 *
 * The runs are in one temporary file in the given folder. It is unlinked while in use, so that nothing is left however the process
 * ends.
 */
export type LineSorter = {
  add(line: string): void
  /** All lines in order, each with its line feed. Call it after the last `add`. */
  sorted(): Generator<string, void, undefined>
  close(): void
}

export type LineSorterOptions = { folder: string; maxHeldChars?: number; readBytes?: number }

type Run = { from: number; to: number }

export function createLineSorter({
  folder,
  maxHeldChars = 16 * 1024 * 1024,
  readBytes = 64 * 1024,
}: LineSorterOptions): LineSorter {
  const runs: Run[] = []
  let held: string[] = []
  let heldChars = 0
  let fd: number | null = null
  let fileLength = 0

  function putAside(): void {
    fd ??= openNameless(folder)
    const from = fileLength
    held.sort(compare)
    // In parts, so that the lines are not in memory twice.
    for (let at = 0; at < held.length; at += 4096) {
      const bytes = Buffer.from(`${held.slice(at, at + 4096).join('\n')}\n`, 'latin1')
      for (let done = 0; done < bytes.length; )
        done += writeSync(fd, bytes, done, bytes.length - done, fileLength + done)
      fileLength += bytes.length
    }
    runs.push({ from, to: fileLength })
    held = []
    heldChars = 0
  }

  return {
    add(line) {
      // A flat copy: a string concatenated from pieces would keep all of them in memory.
      held.push(Buffer.from(line, 'latin1').toString('latin1'))
      heldChars += line.length + 1
      if (heldChars >= maxHeldChars) putAside()
    },
    *sorted() {
      if (runs.length === 0) {
        held.sort(compare)
        for (const line of held) yield `${line}\n`
        return
      }
      if (held.length > 0) putAside()
      yield* merge(runs.map((run) => linesOf(fd!, run, readBytes)))
    },
    close() {
      if (fd !== null) closeSync(fd)
      fd = null
    },
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function openNameless(folder: string): number {
  const place = mkdtempSync(join(folder, '.erace-sort-'))
  const path = join(place, 'runs')
  const fd = openSync(path, 'w+')
  unlinkSync(path)
  rmdirSync(place)
  return fd
}

function* linesOf(fd: number, { from, to }: Run, readBytes: number): Generator<string, void, undefined> {
  const buffer = Buffer.allocUnsafe(readBytes)
  let rest = ''
  for (let at = from; at < to; ) {
    const count = readSync(fd, buffer, 0, Math.min(buffer.length, to - at), at)
    if (count === 0) throw new Error('the temporary file for sorting was cut off')
    at += count
    const lines = (rest + buffer.toString('latin1', 0, count)).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield line
  }
}

type Head = { line: string; lines: Generator<string, void, undefined> }

/** Merges the runs with a heap of the next line of each. */
function* merge(sources: Generator<string, void, undefined>[]): Generator<string, void, undefined> {
  const heap: Head[] = []
  for (const lines of sources) {
    const { value, done } = lines.next()
    if (!done) heap.push({ line: value, lines })
  }
  heap.sort((a, b) => compare(a.line, b.line))
  while (heap.length > 0) {
    const top = heap[0]!
    yield `${top.line}\n`
    const { value, done } = top.lines.next()
    if (!done) top.line = value
    else {
      const last = heap.pop()!
      if (heap.length === 0) return
      if (last !== top) heap[0] = last
    }
    sink(heap)
  }
}

function sink(heap: Head[]): void {
  const moving = heap[0]!
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && heap[child + 1]!.line < heap[child]!.line) child++
    if (heap[child]!.line >= moving.line) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = moving
}
