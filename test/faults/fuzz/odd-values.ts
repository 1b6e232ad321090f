import type { Random } from '../../../bench/origin/random.ts'

/** A piece of JSON text that `JSON.stringify` would never write. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const LONG = 20_000

/** Strings that have broken programs before. */
const oddStrings: readonly (() => string)[] = [
  () => '',
  () => ' ',
  () => '\0',
  () => 'a\0b',
  () => '\ud800',
  () => 'x\udfff\ud83d',
  () => '\u202eesrever\u202c',
  () => `e${'\u0301'.repeat(500)}`,
  () => '\ufeff\u200b\u2028\u2029\u0085',
  () => '👩‍👩‍👧‍👦'.repeat(50),
  () => 'İıſK',
  () => 'a'.repeat(LONG),
  () => '%'.repeat(300),
  () => '%00%ff%2e%2e%2f',
  () => '../../../../etc/passwd',
  () => "' OR 1=1 --",
  () => '"; DROP TABLE accounts; --',
  () => '<script>alert(1)</script>]]>',
  () => '{{7*7}}',
  () => '__proto__',
  () => 'constructor',
  () => 'hasOwnProperty',
  () => 'toString',
  () => '(a+)+$',
  () => '('.repeat(2000),
  () => '[[:alpha:]',
  () => '(?<=x)(?<x>y)\\k<x>\\p{L}',
  () => '"unclosed AND (NOT OR',
  () => '* NEAR(a b) ^a col:"x" a*',
  () => 'http://[::1]:99999/',
  () => 'http://%41:80\\@127.0.0.1/',
  () => 'http://a.invalid/\r\nx: y',
  () => 'javascript:alert(1)',
  () => 'file:///etc/passwd',
  () => `http://${'a.'.repeat(200)}invalid/`,
  () => '2026-02-30T25:61:61Z',
  () => '-271821-04-20T00:00:00.000Z',
  () => '+275760-09-13T00:00:00.000Z',
  () => 'NaN',
  () => '-0',
  () => '1e999',
  () => '0x7fffffff',
  () => '9'.repeat(400),
  () => '١٢٣',
  () => '1e3d',
  () => '0.0000001ms',
]

const oddNumbers: readonly unknown[] = [
  0,
  new RawJson('-0'),
  -1,
  0.5,
  1e-320,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1.7976931348623157e308,
  new RawJson('1e999'),
  new RawJson('-1e999'),
  new RawJson('NaN'),
  new RawJson('Infinity'),
  new RawJson('0x10'),
  new RawJson('01'),
  new RawJson('1.'),
  new RawJson('9'.repeat(500)),
  new RawJson(`0.${'0'.repeat(500)}1`),
]

export function oddString(random: Random): string {
  return random.pick(oddStrings)()
}

export function oddValue(random: Random): unknown {
  const kind = random.below(12)
  if (kind < 4) return oddString(random)
  if (kind < 7) return random.pick(oddNumbers)
  if (kind === 7) return random.pick([null, true, false, [], {}, [[]], [null], { a: {} }])
  if (kind === 8) return nested(random)
  if (kind === 9) return Array.from({ length: 1 + random.below(5000) }, () => random.pick([1, 'a', null, {}]))
  if (kind === 10)
    return new RawJson('{"a":1,"a":2,"__proto__":{"isAdministrator":true},"constructor":{"prototype":1}}')
  return new RawJson(
    random.pick(['"\\ud800"', '"\\u0000"', "'a'", '"\t"', '"\\x41"', 'undefined', '', '/**/1', '[1,]']),
  )
}

function nested(random: Random): RawJson {
  const depth = random.pick([10, 33, 1000, 50_000])
  return random.below(2) === 0
    ? new RawJson(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    : new RawJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
}

/** JSON text, with raw pieces inserted verbatim and lone surrogates sometimes unescaped. */
export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, each]) => `${JSON.stringify(key)}:${jsonText(each)}`)
      .join(',')}}`
  return JSON.stringify(value) ?? 'null'
}

type Place = { holder: Record<string, unknown> | unknown[]; key: string }

/** Returns a copy of a value, changed in one to three places. */
export function mutateValue(value: unknown, random: Random): unknown {
  const root = { value: structuredCopy(value) }
  for (let n = 1 + random.below(3); n > 0; n--) mutatePlace(root, random)
  return root.value
}

function mutatePlace(root: { value: unknown }, random: Random): void {
  const places = placesIn(root)
  const { holder, key } = random.pick(places)
  const values = holder as Record<string, unknown>
  const old = values[key]
  const kind = random.below(10)
  if (kind < 5) values[key] = oddValue(random)
  else if (kind === 5 && !Array.isArray(holder) && holder !== root) delete values[key]
  else if (kind === 6 && typeof old === 'string') values[key] = old + oddString(random)
  else if (kind === 7) values[key] = repeated(old, 2 + random.below(2000))
  else if (kind === 8) values[key] = typeof old === 'object' ? JSON.stringify(old) : [old]
  else if (typeof old === 'object' && old !== null && !Array.isArray(old) && !(old instanceof RawJson))
    Object.defineProperty(old, random.pick(['__proto__', 'constructor', 'toString', 'length', 'id', 'owner', 'role']), {
      value: oddValue(random),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  else values[key] = oddValue(random)
}

function repeated(value: unknown, times: number): unknown[] {
  const most = Math.max(2, Math.floor(MAX_BYTES / jsonText(value).length))
  // Copies, so that a later mutation of one doesn't change all.
  return Array.from({ length: Math.min(times, most) }, () => structuredCopy(value))
}

function placesIn(root: object): Place[] {
  const found: Place[] = []
  const visit = (holder: object): void => {
    for (const [key, value] of Object.entries(holder)) {
      found.push({ holder: holder as Place['holder'], key })
      if (typeof value === 'object' && value !== null && !(value instanceof RawJson) && found.length < 1000)
        visit(value)
    }
  }
  visit(root)
  return found
}

function structuredCopy(value: unknown): unknown {
  if (value instanceof RawJson || typeof value !== 'object' || value === null) return value
  return Array.isArray(value)
    ? value.map(structuredCopy)
    : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, structuredCopy(each)]))
}

/** Mutations of a text's bytes: flips, cuts, copies, insertions, another encoding. */
export function mutateBytes(bytes: Buffer, random: Random, insertions: readonly string[]): Buffer {
  let mutated = Buffer.from(bytes)
  for (let n = 1 + random.below(4); n > 0; n--) {
    const at = random.below(mutated.length + 1)
    const to = Math.min(mutated.length, at + 1 + random.below(random.pick([4, 40, 400])))
    const [before, piece, after] = [mutated.subarray(0, at), mutated.subarray(at, to), mutated.subarray(to)]
    switch (random.below(8)) {
      case 0:
        if (at < mutated.length) mutated[at] = mutated[at]! ^ (1 << random.below(8))
        break
      case 1:
        if (at < mutated.length) mutated[at] = random.below(256)
        break
      case 2:
        mutated = Buffer.concat([before, after])
        break
      case 3:
        mutated = Buffer.concat([before, ...Array.from({ length: random.pick([2, 3, 500]) }, () => piece), after])
        break
      case 4:
        if (random.below(3) === 0) mutated = Buffer.from(before)
        break
      case 5:
        mutated = Buffer.concat([before, Buffer.from(oddString(random)), after])
        break
      default:
        if (insertions.length > 0) mutated = Buffer.concat([before, Buffer.from(random.pick(insertions)), piece, after])
    }
    if (mutated.length > MAX_BYTES) mutated = Buffer.from(mutated.subarray(0, MAX_BYTES))
  }
  return mutated
}

const MAX_BYTES = 3_000_000
