import { InvalidInputError } from '../../config/validation-errors.ts'
import type { Interests } from '../../core/profile.ts'
import { defaultScorers, type Scorer, type Scorers } from '../score/scorers.ts'
import { AUTO } from '../terms/spaces.ts'
import { findStemmer, languagesOfScripts, stemmedLanguages } from '../terms/stem/stemmers.ts'
import type { Condition, WordsLeaf } from './condition.ts'
import { interestLimits } from './interest-limits.ts'
import { createErrorList, type ErrorList, type InterestError, readExpression } from './read-expression.ts'
import { readWords } from './read-words.ts'

/** Interests compiled for matching. Valid only in the thread that compiled them: hashes and patterns are its own. */
export type CompiledInterests = {
  /** '' if words are compared as spelled, `auto` if by the language of the document; see `interestsFor`. */
  readonly stemming: string
  readonly keywords: readonly CompiledKeyword[]
  readonly exclude: readonly WordsLeaf[]
  readonly expression: { readonly source: string; readonly condition: Condition } | null
  readonly threshold: number
  readonly scorer: Scorer
  /** Compiles the same interests for a language; null if the language makes no difference. */
  readonly inLanguage: ((language: string) => CompiledInterests) | null
  /** All variants by language of a document; only itself if the language makes no difference. */
  variants(): readonly CompiledInterests[]
}

/** The variant of the interests for a document. */
export function interestsFor(interests: CompiledInterests, document: { readonly language: string }): CompiledInterests {
  return interests.inLanguage === null ? interests : interests.inLanguage(document.language)
}

export type CompiledKeyword = {
  /** As the user wrote it. */
  readonly key: string
  readonly leaf: WordsLeaf
  /** At most three decimals. */
  readonly weight: number
}

export type ReadInterests =
  | { kind: 'interests'; interests: CompiledInterests }
  | { kind: 'invalid'; errors: InterestError[] }

/** Compiles interests for matching, or returns all their errors. */
export function readInterests(interests: Interests, scorers: Scorers = defaultScorers): ReadInterests {
  const list = createErrorList()
  const stemming = readStemming(interests.stemming, list)
  const keywords = readKeywords(interests, stemming, list)
  const exclude = readExclusions(interests.exclude, stemming, list)
  const condition = readExpression(interests.expression, stemming, list)
  const name = interests.scorer === '' ? 'keywords' : interests.scorer
  const scorer = scorers.find(name)
  if (scorer === undefined)
    list.add('scorer', `there is no scorer ${name.slice(0, 100)}; there are ${scorers.names().join(', ')}`)
  checkThreshold(interests.threshold, keywords, scorer?.isBoundedByWeight === true, list)
  if (list.errors.length > 0 || scorer === undefined) return { kind: 'invalid', errors: list.errors }
  const expression = condition === null ? null : { source: interests.expression, condition }
  const { threshold } = interests
  const plain: CompiledInterests = {
    ...{ stemming, keywords, exclude, expression, threshold, scorer },
    inLanguage: null,
    variants: () => [plain],
  }
  return { kind: 'interests', interests: stemming === AUTO ? byLanguage(interests, plain, scorers) : plain }
}

/** Compiled variants are cached: most watchers read few languages. */
function byLanguage(interests: Interests, plain: CompiledInterests, scorers: Scorers): CompiledInterests {
  const known = new Map<string, CompiledInterests>()
  const compile = (stemming: string) => compileInterests({ ...interests, stemming }, scorers)
  const text = [...interests.keywords.map(({ key }) => key), ...interests.exclude, interests.expression].join(' ')
  return {
    ...plain,
    inLanguage(language) {
      const stemming = findStemmer(language) === undefined ? '' : language
      const compiled = known.get(stemming) ?? compile(stemming)
      known.set(stemming, compiled)
      return compiled
    },
    variants: () => ['', ...languagesOfScripts(text)].map(compile),
  }
}

/** Throws `usage-wrong` with all errors. For interests that were validated before. */
export function compileInterests(interests: Interests, scorers: Scorers = defaultScorers): CompiledInterests {
  const read = readInterests(interests, scorers)
  if (read.kind === 'invalid') throw new InvalidInputError('usage-wrong', read.errors)
  return read.interests
}

/** All validation errors, with positions; empty if the interests are valid. */
export function validateInterests(interests: Interests, scorers: Scorers = defaultScorers): InterestError[] {
  const read = readInterests(interests, scorers)
  return read.kind === 'invalid' ? read.errors : []
}

function readStemming(stemming: string, list: ErrorList): string {
  if (stemming === '' || stemming === AUTO || stemmedLanguages.includes(stemming)) return stemming
  const known = [AUTO, ...stemmedLanguages].join(', ')
  list.add('stemming', `there is no stemmer for ${stemming.slice(0, 100)}; there are ${known}`)
  return ''
}

function readKeywords({ keywords }: Interests, stemming: string, list: ErrorList): CompiledKeyword[] {
  const { minWeight, maxWeight } = interestLimits
  const read: CompiledKeyword[] = []
  if (keywords.length > interestLimits.keywords)
    list.add('keywords', `there are ${keywords.length}; at most ${interestLimits.keywords} are allowed`)
  for (const [index, { key, weight }] of keywords.slice(0, interestLimits.keywords).entries()) {
    const leaf = readWords(key, stemming, (message) => list.add(`keywords[${index}].key`, message))
    const rounded = Math.round(weight * 1000) / 1000
    if (!(rounded >= minWeight && rounded <= maxWeight))
      list.add(`keywords[${index}].weight`, `${weight} is not a weight; they go from ${minWeight} to ${maxWeight}`)
    else if (leaf !== null) read.push({ key, leaf, weight: rounded })
  }
  return read
}

function readExclusions(exclude: readonly string[], stemming: string, list: ErrorList): WordsLeaf[] {
  const read: WordsLeaf[] = []
  if (exclude.length > interestLimits.exclusions)
    list.add('exclude', `there are ${exclude.length}; at most ${interestLimits.exclusions} are allowed`)
  for (const [index, text] of exclude.slice(0, interestLimits.exclusions).entries()) {
    const leaf = readWords(text, stemming, (message) => list.add(`exclude[${index}]`, message))
    if (leaf !== null) read.push(leaf)
  }
  return read
}

function checkThreshold(
  threshold: number,
  keywords: readonly CompiledKeyword[],
  isBounded: boolean,
  list: ErrorList,
): void {
  if (!(threshold >= 0 && threshold <= interestLimits.maxThreshold)) {
    list.add('threshold', `${threshold} is not a relevance; it goes from 0 to ${interestLimits.maxThreshold}`)
    return
  }
  const most = keywords.reduce((sum, { weight }) => sum + Math.round(weight * 1000), 0) / 1000
  if (isBounded && keywords.length > 0 && list.errors.length === 0 && threshold > most)
    list.add('threshold', `${threshold} can never be reached: all keywords together weigh ${most}`)
}
