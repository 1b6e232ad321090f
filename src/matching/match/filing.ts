import type { CompiledInterests } from '../interests/compile-interests.ts'
import { AUTO, spaceOfStems } from '../terms/spaces.ts'
import { copySize } from './copied-entries.ts'
import { type Commonness, keysOfLeaf, neededKeys, type PostingKey } from './posting-keys.ts'

/** How a profile is filed in the index. Weights are thousandths. */
export type Filing =
  /** Only words and weights: its entries alone decide. */
  | { kind: 'simple'; entries: FiledEntry[]; needed: number; threshold: number }
  /** Found by its entries, then checked against the document. */
  | { kind: 'verified'; entries: FiledEntry[]; needed: number }
  /** No word is required: every document must be checked. */
  | { kind: 'always' }

export type FiledEntry = {
  readonly key: PostingKey
  readonly weight: number
  /** False if the term is so common that a hit says nothing; `needed` then takes its weight for granted. */
  readonly isPosted: boolean
}

/**
 * Terms that at least this many profiles have are not posted, as far as the others are still needed to reach the threshold. Profiles
 * that are decided in the lists themselves leave out all terms they can: there, looking at a profile costs no more than skipping it.
 */
const COMMON = 64
const MAX_SIMPLE = 2 ** 31

export function fileInterests(interests: CompiledInterests, commonness: Commonness): Filing {
  const { keywords, expression, threshold, scorer } = interests
  const stemSpace = spaceOfStems(interests.stemming)
  const needsKeyword = keywords.length > 0 && (threshold > 0 || expression === null)
  if (!needsKeyword) {
    const entries: FiledEntry[] = []
    for (const variant of interests.variants()) {
      const keys = variant.expression && neededKeys(variant.expression.condition, stemSpace, commonness)
      if (keys === null) return { kind: 'always' }
      entries.push(...keys.map((key) => ({ key, weight: 1, isPosted: true })))
    }
    return { kind: 'verified', entries, needed: 1 }
  }
  const entries = fileKeywords(interests, stemSpace, commonness)
  if (!scorer.isBoundedByWeight) return { kind: 'verified', entries, needed: 1 }
  const least = leastThousandths(threshold)
  const total = entries.reduce((sum, entry) => sum + entry.weight, 0)
  const isDecided = isSimple(interests) && total < MAX_SIMPLE && least < MAX_SIMPLE
  if (isDecided) {
    const { entries: filed, needed, posted } = leaveCommonOut(entries, least, commonness, 0)
    if (copySize(entries.length, posted) !== -1) return { kind: 'simple', entries: filed, needed, threshold: least }
  }
  const { entries: filed, needed } = leaveCommonOut(entries, least, commonness, COMMON)
  if (isDecided) return { kind: 'simple', entries: filed, needed, threshold: least }
  return { kind: 'verified', entries: filed.filter(({ isPosted }) => isPosted), needed }
}

/** A keyword with several spellings or stems is listed under each of them, with its full weight. */
function fileKeywords(interests: CompiledInterests, stemSpace: number, commonness: Commonness): FiledEntry[] {
  const { scorer } = interests
  const known = new Set<string>()
  const entries: FiledEntry[] = []
  for (const { keywords } of interests.variants()) {
    for (const [index, { leaf, weight }] of keywords.entries()) {
      for (const key of keysOfLeaf(leaf, stemSpace, commonness)!) {
        const name = `${index} ${key.space} ${key.word.text}`
        if (known.has(name)) continue
        known.add(name)
        entries.push({ key, weight: scorer.isBoundedByWeight ? Math.round(weight * 1000) : 1, isPosted: true })
      }
    }
  }
  return entries
}

function isSimple({ keywords, exclude, expression, scorer, stemming }: CompiledInterests): boolean {
  if (scorer.name !== 'keywords' || exclude.length > 0 || expression !== null || stemming === AUTO) return false
  return keywords.every(({ leaf }) => leaf.words.length === 1 && !leaf.prefix && leaf.words[0]!.or === undefined)
}

/** The smallest whole number of thousandths that reaches the threshold; at least one, as there must be a keyword. */
function leastThousandths(threshold: number): number {
  let least = Math.ceil(threshold * 1000)
  if ((least - 1) / 1000 >= threshold) least--
  return Math.max(1, least)
}

/**
 * As long as the omitted terms can't reach the threshold on their own, a document that reaches it has one of the others. Common terms
 * occur in nearly every document and have the longest lists: not reading them is most of the gain.
 */
function leaveCommonOut(
  entries: readonly FiledEntry[],
  least: number,
  commonness: Commonness,
  limit: number,
): { entries: FiledEntry[]; needed: number; posted: number } {
  const ranked = entries.map((entry) => ({ entry, common: commonness(entry.key) })).sort((a, b) => b.common - a.common)
  let needed = least
  let posted = entries.length
  const filed = ranked.map(({ entry, common }) => {
    if (common < limit || needed - entry.weight < 1) return entry
    needed -= entry.weight
    posted--
    return { ...entry, isPosted: false }
  })
  return { entries: filed, needed, posted }
}
