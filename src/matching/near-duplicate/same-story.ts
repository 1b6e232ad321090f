import { NO_LINE, type StoredSketch, sketchOf, type TextLines, type TextSketch } from './text-sketch.ts'

/**
 * Whether two texts tell the same story. Their main texts must have shingles in common, and not only in lines that are equal on both:
 * the rest must be alike too, or be little. So a notice that two pages share doesn't join them, however long it is.
 */

/** A known text: its sketch, and the page it is from. */
export type KnownText = { readonly host: string; readonly cluster: number; readonly sketch: StoredSketch }

/** Fractions of shingles in common; see decision 032 for how they were chosen. */
export const thresholds = {
  /** Of all shingles, for pages of different hosts. */
  apart: 0.45,
  /** Of the shingles that no other page of the host has, for pages of one host, which are made alike. */
  together: 0.8,
  /** Of the shingles outside of equal lines. */
  rest: 0.15,
  /** Part of a main text that may differ completely: what we take for text may be the site's. */
  foreign: 0.08,
  /** The same for pages of one host, relative to all words. */
  foreignTogether: 0.02,
}

/** A line is common to a host if two other stories have it, or one that isn't the same page again. */
const SAME_PAGE = 0.95

/** The sketch of a page without lines that other pages of its host have; null if too little is left to compare. */
export function sketchBeside(text: TextLines, ofHost: readonly KnownText[]): TextSketch | null {
  if (ofHost.length === 0) return sketchOf(text)
  const shared = sharedLines(text, ofHost)
  return sketchOf(text, (line) => shared.has(line))
}

function sharedLines({ lines }: TextLines, others: readonly KnownText[]): Set<number> {
  const shared = new Set<number>()
  const storiesOf = new Map<number, Set<number>>()
  const total = lines.reduce((sum, { words }) => sum + words, 0)
  for (const { cluster, sketch } of others) {
    const there = new Set(sketch.lines)
    const met = lines.filter(({ hash }) => there.has(hash))
    const isSamePage = met.reduce((sum, { words }) => sum + words, 0) >= SAME_PAGE * total
    for (const { hash } of met) {
      const stories = storiesOf.get(hash) ?? new Set()
      storiesOf.set(hash, stories.add(cluster))
      if (!isSamePage || stories.size > 1) shared.add(hash)
    }
  }
  return shared
}

/** Similarity of two texts, from 0 to 1; 0 if they don't tell the same story. */
export function likeness(one: Omit<KnownText, 'cluster'>, other: KnownText, ofHost: HostShingles = noShingles): number {
  const isTogether = one.host !== '' && one.host === other.host
  const common = (shingle: number): boolean => isTogether && ofHost(shingle, other.cluster)
  const alike = overlap(one.sketch, other.sketch, common)
  if (alike < (isTogether ? thresholds.together : thresholds.apart)) return 0
  const equal = new Set(other.sketch.lines)
  const shared = new Set(one.sketch.lines.filter((line) => equal.has(line)))
  if (overlap(one.sketch, other.sketch, common, shared) >= thresholds.rest) return alike
  const allowed = isTogether ? thresholds.foreignTogether : thresholds.foreign
  const isForeign = (sketch: StoredSketch): boolean => ownShare(sketch, shared, isTogether) > allowed
  return isForeign(one.sketch) || isForeign(other.sketch) ? 0 : alike
}

/** Whether a page of the host has the shingle, not counting those of one story. */
type HostShingles = (shingle: number, except: number) => boolean

const noShingles: HostShingles = () => false
const nothing: ReadonlySet<number> = new Set()
const SEVERAL = -1

function hostShingles(texts: readonly KnownText[]): HostShingles {
  const storyOfShingle = new Map<number, number>()
  for (const { cluster, sketch } of texts)
    for (const shingle of sketch.shingles)
      storyOfShingle.set(shingle, (storyOfShingle.get(shingle) ?? cluster) === cluster ? cluster : SEVERAL)
  return (shingle, except) => (storyOfShingle.get(shingle) ?? except) !== except
}

/** Fraction of words in lines that the other doesn't have: of the main text, or of everything. */
function ownShare({ lines, words, main }: StoredSketch, shared: ReadonlySet<number>, ofAll: boolean): number {
  let own = 0
  let total = 0
  for (let line = 0; line < lines.length; line++) {
    if (!ofAll && main[line] === 0) continue
    total += words[line]!
    if (!shared.has(lines[line]!)) own += words[line]!
  }
  return total === 0 ? 0 : own / total
}

/**
 * Jaccard index of the shingles, estimated from the samples: both have all hashes up to the smaller of their ends. Leaves out shingles
 * that are `common`, and those of `shared` lines.
 */
function overlap(
  a: StoredSketch,
  b: StoredSketch,
  common: (shingle: number) => boolean,
  shared: ReadonlySet<number> = nothing,
): number {
  const end = Math.min(endOf(a), endOf(b))
  let both = 0
  let either = 0
  for (let i = 0, j = 0; ; ) {
    const x = a.shingles[i] ?? Number.POSITIVE_INFINITY
    const y = b.shingles[j] ?? Number.POSITIVE_INFINITY
    const least = Math.min(x, y)
    if (least > end || least === Number.POSITIVE_INFINITY) break
    const isLeftOut =
      common(least) || (x === least && isShared(a, i, shared)) || (y === least && isShared(b, j, shared))
    if (!isLeftOut) {
      either++
      if (x === y) both++
    }
    if (x === least) i++
    if (y === least) j++
  }
  return either === 0 ? 0 : both / either
}

function isShared({ lines, lineOf }: StoredSketch, shingle: number, shared: ReadonlySet<number>): boolean {
  const line = lineOf[shingle]!
  return line !== NO_LINE && shared.has(lines[line]!)
}

const FULL = 128

function endOf({ shingles }: StoredSketch): number {
  return shingles.length < FULL ? Number.POSITIVE_INFINITY : shingles.at(-1)!
}

/** The story a text belongs to: that of the most similar text, the first of equals; null if there is none. */
export function storyOf(
  one: Omit<KnownText, 'cluster'>,
  candidates: readonly KnownText[],
  ofHost: readonly KnownText[],
): number | null {
  const common = hostShingles(ofHost)
  let best: number | null = null
  let most = 0
  for (const candidate of candidates) {
    const alike = likeness(one, candidate, common)
    if (alike > most) {
      most = alike
      best = candidate.cluster
    }
  }
  return best
}
