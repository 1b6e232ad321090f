import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { findStemmer } from './stemmers.ts'

const folder =
  process.env.ERACE_CONFORMANCE === undefined ? null : join(process.env.ERACE_CONFORMANCE, 'stems-snowball')
const skip = folder === null ? 'ERACE_CONFORMANCE names no folder of conformance data' : false

const languages: [name: string, code: string][] = [
  ['czech', 'cs'],
  ['danish', 'da'],
  ['dutch', 'nl'],
  ['english', 'en'],
  ['finnish', 'fi'],
  ['french', 'fr'],
  ['german', 'de'],
  ['greek', 'el'],
  ['hungarian', 'hu'],
  ['italian', 'it'],
  ['norwegian', 'no'],
  ['polish', 'pl'],
  ['portuguese', 'pt'],
  ['romanian', 'ro'],
  ['russian', 'ru'],
  ['spanish', 'es'],
  ['swedish', 'sv'],
  ['turkish', 'tr'],
]
/** Minimum share of Snowball's pairs with equal stems whose stems are equal here, too. */
const LEAST = 0.99

describe('stemmers compared with Snowball', { skip }, () => {
  for (const [name, code] of languages)
    test(`give words of the same Snowball stem the same stem in ${name}`, (t) => {
      const file = join(folder!, `${name}.tsv`)
      assert.ok(existsSync(file), `${file} is missing`)
      const rows = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t') as [word: string, stem: string])
      const stem = findStemmer(code)!
      const ours = rows.map(([word]) => stem(word))
      const theirs = rows.map(([, stem]) => stem)
      const joined = jointPairs(theirs, ours)
      const share = joined / pairs(theirs)
      t.diagnostic(`${name}: recall ${share.toFixed(4)}, precision ${(joined / pairs(ours)).toFixed(4)}`)
      assert.ok(share >= LEAST, `${share} of the pairs are joined`)
    })
})

/** Number of pairs of words with the same stem. */
function pairs(stems: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  let sum = 0
  for (const count of counts.values()) sum += (count * (count - 1)) / 2
  return sum
}

function jointPairs(first: readonly string[], second: readonly string[]): number {
  return pairs(first.map((stem, at) => `${stem}\t${second[at]}`))
}
