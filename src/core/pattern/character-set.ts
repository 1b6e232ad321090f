/**
 * A set of UTF-16 units, which is what JavaScript's expressions match without further flags: the first and last unit
 * of each range, ranges in order and apart.
 */
export type CharacterSet = readonly number[]

const lastUnit = 0xffff

export function rangeOf(first: number, last: number): CharacterSet {
  return [first, last]
}

export function setOf(characters: string): CharacterSet {
  return union(
    Array.from({ length: characters.length }, (_, at) => rangeOf(characters.charCodeAt(at), characters.charCodeAt(at))),
  )
}

export function union(sets: readonly CharacterSet[]): CharacterSet {
  const ranges: [number, number][] = []
  for (const set of sets) for (let i = 0; i < set.length; i += 2) ranges.push([set[i]!, set[i + 1]!])
  ranges.sort((one, other) => one[0] - other[0])
  const joined: number[] = []
  for (const [first, last] of ranges) {
    const before = joined.at(-1)
    if (before === undefined || first > before + 1) joined.push(first, last)
    else if (last > before) joined[joined.length - 1] = last
  }
  return joined
}

export function inverted(set: CharacterSet): CharacterSet {
  const others: number[] = []
  let next = 0
  for (let i = 0; i < set.length; i += 2) {
    if (set[i]! > next) others.push(next, set[i]! - 1)
    next = set[i + 1]! + 1
  }
  if (next <= lastUnit) others.push(next, lastUnit)
  return others
}

/** How many units count each for themselves; the others count by the sets of an expression that they are in. */
const ownClasses = 128

/**
 * The units that an expression can tell apart. ASCII is a class a character; all other units fall into few classes, of
 * which the members are in the same sets. Tables over classes stay small, whatever scripts an expression speaks of.
 */
export type Alphabet = {
  readonly size: number
  classOf(unit: number): number
  /** A set as a table over classes. */
  members(set: CharacterSet): Uint8Array
}

export function createAlphabet(sets: readonly CharacterSet[]): Alphabet {
  const starts = new Set([ownClasses])
  for (const set of sets) {
    for (let i = 0; i < set.length; i += 2) {
      if (set[i]! > ownClasses) starts.add(set[i]!)
      if (set[i + 1]! >= ownClasses && set[i + 1]! < lastUnit) starts.add(set[i + 1]! + 1)
    }
  }
  const stretches = [...starts].sort((one, other) => one - other)
  const numbers = new Map<string, number>()
  const examples = Array.from({ length: ownClasses }, (_, unit) => unit)
  const classes = stretches.map((unit) => {
    const name = sets.map((set) => (has(set, unit) ? '1' : '0')).join('')
    const known = numbers.get(name)
    if (known !== undefined) return known
    numbers.set(name, examples.length)
    return examples.push(unit) - 1
  })
  return {
    size: examples.length,
    classOf(unit) {
      return unit < ownClasses ? unit : classes[lastAtMost(stretches, unit)]!
    },
    members: (set) => Uint8Array.from(examples, (unit) => (has(set, unit) ? 1 : 0)),
  }
}

function has(set: CharacterSet, unit: number): boolean {
  let low = 0
  let high = set.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if (set[2 * middle + 1]! < unit) low = middle + 1
    else high = middle
  }
  return 2 * low < set.length && set[2 * low]! <= unit
}

/** Index of the last entry that is not above `value`; the first never is. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sorted[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}
