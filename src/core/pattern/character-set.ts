/**
 * A set of UTF-16 code units, which is what JavaScript's expressions match without further flags: the first and last unit of each range,
 * with ranges sorted and disjoint.
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

/** Number of units with a class each (ASCII); all others share classes according to the sets they are in. */
const ownClasses = 128

/**
 * The code units that an expression can distinguish. Each ASCII character is a class of its own; all other units fall into few classes,
 * whose members are in the same sets. So tables over classes stay small, regardless of the scripts an expression uses.
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

/** Index of the last entry not above `value`; the first never is above it. */
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
