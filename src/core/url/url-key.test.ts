import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFingerprinter, toBigInt } from './url-key.ts'

const fingerprinter = createFingerprinter([0x01234567, 0x89abcdef])

function pairOf(key: string): [number, number] {
  const out = new Uint32Array(2)
  fingerprinter.write(key, out, 0)
  return [out[0]!, out[1]!]
}

function bitsThatDiffer(left: [number, number], right: [number, number]): number[] {
  const bits: number[] = []
  for (let bit = 0; bit < 64; bit++) {
    const word = bit >> 5
    if ((((left[word]! ^ right[word]!) >>> (bit & 31)) & 1) === 1) bits.push(bit)
  }
  return bits
}

/** Realistic URLs: consecutive numbers, dates and names differ in few characters. */
function urlAt(n: number): string {
  switch (n & 3) {
    case 0:
      return `http://example.org/article/${n}`
    case 1:
      return `https://www.example.org/list?page=${n % 1000}&id=${n}`
    case 2:
      return `https://h${n % 977}.example.net/${(n * 2654435761) >>> 0}/index.html`
    default:
      return `http://example.com/${n & 255}/${(n >> 8) & 255}/${n >> 16}.html`
  }
}

/** Counts collisions with open addressing in a power of two of slots, without a string per key. */
function countCollisions(keys: number): number {
  const slots = 1 << 22
  const table = new Uint32Array(slots * 2)
  const out = new Uint32Array(2)
  let collisions = 0
  for (let n = 0; n < keys; n++) {
    fingerprinter.write(urlAt(n), out, 0)
    const [hi, lo] = out as unknown as [number, number]
    let slot = lo & (slots - 1)
    while (table[slot * 2] !== 0 || table[slot * 2 + 1] !== 0) {
      if (table[slot * 2] === hi && table[slot * 2 + 1] === lo) {
        collisions++
        break
      }
      slot = (slot + 1) & (slots - 1)
    }
    table[slot * 2] = hi
    table[slot * 2 + 1] = lo
  }
  return collisions
}

describe('URL fingerprint', () => {
  it('has no collisions among two million URLs', () => {
    assert.equal(countCollisions(2_000_000), 0)
  })

  it('fills buckets evenly by high bits and by low bits', () => {
    const keys = 400_000
    const byHigh = new Uint32Array(1024)
    const byLow = new Uint32Array(1024)
    for (let n = 0; n < keys; n++) {
      const [hi, lo] = pairOf(urlAt(n))
      byHigh[hi >>> 22]! += 1
      byLow[lo & 1023]! += 1
    }
    const expected = keys / 1024
    for (const buckets of [byHigh, byLow]) {
      let chiSquared = 0
      for (const count of buckets) chiSquared += (count - expected) ** 2 / expected
      // 1023 degrees of freedom: mean 1023, standard deviation 45.
      assert.ok(chiSquared > 800 && chiSquared < 1250, `chi squared is ${chiSquared}`)
    }
  })

  it('flips each bit with a probability of about one half when one character changes', () => {
    const flips = new Uint32Array(64)
    let trials = 0
    for (let n = 0; n < 400; n++) {
      const key = urlAt(n)
      const before = pairOf(key)
      for (let at = 8; at < key.length; at += 3) {
        const changed = key.slice(0, at) + String.fromCharCode(key.charCodeAt(at) ^ 1) + key.slice(at + 1)
        for (const bit of bitsThatDiffer(before, pairOf(changed))) flips[bit]! += 1
        trials++
      }
    }
    for (const [bit, count] of flips.entries()) {
      const share = count / trials
      assert.ok(share > 0.45 && share < 0.55, `bit ${bit} flips in ${share} of the trials`)
    }
  })

  it('changes in both words if either word of the seed changes', () => {
    for (const seed of [[0x01234568, 0x89abcdef] as const, [0x01234567, 0x89abcdee] as const]) {
      const out = new Uint32Array(2)
      createFingerprinter(seed).write('http://example.org/', out, 0)
      const [hi, lo] = pairOf('http://example.org/')
      assert.notEqual(out[0], hi)
      assert.notEqual(out[1], lo)
    }
  })

  it('differs for different lengths, even beyond the size of its buffer', () => {
    const seen = new Set<string>()
    for (const length of [0, 1, 2, 3, 4, 5, 4095, 4096, 4097, 8191, 8192, 8193, 100_000]) {
      seen.add(pairOf('a'.repeat(length)).join())
      seen.add(pairOf(`${'a'.repeat(length)}\0`).join())
    }
    assert.equal(seen.size, 26)
    assert.notDeepEqual(pairOf(`${'a'.repeat(5000)}b`), pairOf(`${'a'.repeat(5000)}c`))
  })

  it('matches frozen values, since stored fingerprints must stay valid', () => {
    const frozen = [
      ['', -3524329689661295417n],
      ['http://example.org/', -8727368678606668473n],
      ['https://www.example.org/a/b.html?c=d', 774566330741342534n],
      ['http://example.org/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 1436796646817201922n],
    ] as const
    for (const [key, value] of frozen) assert.equal(fingerprinter.toBigInt(key), value, key)
  })

  it('converts to a signed 64-bit integer without losing bits', () => {
    assert.equal(toBigInt(0, 1), 1n)
    assert.equal(toBigInt(0xffffffff, 0xffffffff), -1n)
    assert.equal(toBigInt(0x80000000, 0), -(2n ** 63n))
    assert.equal(toBigInt(0x7fffffff, 0xffffffff), 2n ** 63n - 1n)
    const [hi, lo] = pairOf('http://example.org/x')
    assert.equal(BigInt.asUintN(64, fingerprinter.toBigInt('http://example.org/x')), (BigInt(hi) << 32n) | BigInt(lo))
  })
})
