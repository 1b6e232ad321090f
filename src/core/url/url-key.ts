/**
 * The 64-bit fingerprint of a URL's comparison key, for the URL-seen test.
 *
 * Tables store it after the host, `(host, fingerprint)`, which gives the locality that Mercator (4.7) builds into the fingerprint itself:
 * the links of one page touch few leaves. All 64 bits depend on the whole key, so that a cache without a host column can use it too: with a
 * hundred million URLs, one pair collides in 3,700 crawls.
 *
 * Two lanes take in four characters at a time and are mixed at the end. Their start values and multipliers come from 64 secret bits of the
 * installation: a site that could compute collisions could hide pages from the crawl. This is not cryptographically secure: it holds
 * against those who see neither the seed nor the fingerprints. The function is frozen, since stored fingerprints must stay valid.
 */
export type FingerprintSeed = readonly [number, number]

export type Fingerprinter = {
  /** Writes the high word to `out[at]` and the low one to `out[at + 1]`; doesn't allocate. */
  write(key: string, out: Uint32Array | Int32Array, at: number): void
  /** The same as a signed 64-bit integer, as stored in SQL databases. */
  toBigInt(key: string): bigint
}

export function createFingerprinter([seedA, seedB]: FingerprintSeed): Fingerprinter {
  const lanes: Lanes = {
    startA: scatter(seedA ^ 0x2545f491),
    startB: scatter(seedB ^ 0x4f6cdd1d),
    timesA: multiplier(seedA ^ 0x9e3779b9),
    timesB: multiplier(seedB ^ 0x7f4a7c15),
  }
  const pair = new Uint32Array(2)
  return {
    write: (key, out, at) => fingerprint(key, lanes, out, at),
    toBigInt(key) {
      fingerprint(key, lanes, pair, 0)
      return toBigInt(pair[0]!, pair[1]!)
    },
  }
}

const halves = new Uint32Array(2)
const whole = new BigInt64Array(halves.buffer)
const littleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** Two words as one signed integer, in the range of a SQL BIGINT. */
export function toBigInt(hi: number, lo: number): bigint {
  halves[littleEndian ? 1 : 0] = hi
  halves[littleEndian ? 0 : 1] = lo
  return whole[0]!
}

type Lanes = { readonly startA: number; readonly startB: number; readonly timesA: number; readonly timesB: number }

/**
 * Keys are copied here and read word by word: one copy by the runtime takes a third of the time of a loop over `charCodeAt`. The copy keeps
 * the low byte of each character, so keys must be ASCII, which the normaliser guarantees. Words are read in the machine's byte order; every
 * platform that Node is built for but one is little-endian.
 */
const scratchBytes = 4096
const scratch = Buffer.alloc(scratchBytes)
const scratchWords = new Int32Array(scratch.buffer, scratch.byteOffset, scratchBytes / 4)

function fingerprint(key: string, lanes: Lanes, out: Uint32Array | Int32Array, at: number): void {
  const { timesA, timesB } = lanes
  const length = key.length
  let a = lanes.startA
  let b = lanes.startB
  let count = load(key)
  for (let done = scratchBytes; ; done += scratchBytes) {
    for (let i = 0; i < count; i++) {
      const word = scratchWords[i]!
      a = Math.imul(rotate13(a) ^ word, timesA)
      b = Math.imul((rotate17(b) + word) | 0, timesB)
    }
    if (done >= length) break
    count = load(key.slice(done, done + scratchBytes))
  }
  a ^= length
  b = scatter((b ^ length) + a)
  a = scatter(a + b)
  b = scatter(b + a)
  out[at] = a
  out[at + 1] = b
}

/** Returns the number of words. The last one is padded with zeros; mixing in the key's length keeps padding distinct from characters. */
function load(text: string): number {
  const written = scratch.write(text, 'latin1')
  for (let i = written; (i & 3) !== 0; i++) scratch[i] = 0
  return (written + 3) >> 2
}

function rotate13(word: number): number {
  return (word << 13) | (word >>> 19)
}

function rotate17(word: number): number {
  return (word << 17) | (word >>> 15)
}

/** Odd, with 5 in the low three bits: the lanes stay reversible and no low bit is carried through unchanged. */
function multiplier(seed: number): number {
  return (scatter(seed) & ~7) | 5
}

/** A reversible mixer with full avalanche: every input bit flips every output bit with even odds. */
function scatter(word: number): number {
  let h = word ^ (word >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
