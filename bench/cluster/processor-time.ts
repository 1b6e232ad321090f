import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second, as Linux counts processor time in /proc. */
const TICKS = 100

type Times = { parent: number; own: number; children: number }

/** Seconds of processor time of a process and of all below it, those that have ended included. Linux only. */
export function processorSeconds(pid: number): number {
  const all = new Map<number, Times>()
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? timesOf(name) : null
    if (times !== null) all.set(Number(name), times)
  }
  const root = all.get(pid)
  if (root === undefined) return 0
  let ticks = root.own + root.children
  const below = new Set([pid])
  // Children have higher numbers than their parents as good as always; a second pass finds the rest.
  for (let pass = 0; pass < 2; pass++)
    for (const [each, { parent, own, children }] of all) {
      if (below.has(each) || !below.has(parent)) continue
      below.add(each)
      ticks += own + children
    }
  return ticks / TICKS
}

function timesOf(pid: string): Times | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return { parent: fields[1]!, own: fields[11]! + fields[12]!, children: fields[13]! + fields[14]! }
  } catch {
    return null // it has ended meanwhile
  }
}
