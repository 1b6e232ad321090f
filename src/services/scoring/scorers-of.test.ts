import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { configOf } from '../../config/load-config.ts'
import { isAppError } from '../../core/errors.ts'
import { validateInterests } from '../../matching/interests/compile-interests.ts'
import { noInterests } from '../../matching/match/naive-match.testkit.ts'
import { worthOf } from '../../matching/score/scorers.ts'
import { scorersOf } from './scorers-of.ts'

const part = new URL('../../crawl/parts/part.ts', import.meta.url)

test('profiles can use a scorer loaded from a file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-scorer-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'often.ts')
  writeFileSync(
    path,
    `import { defineScorer } from ${JSON.stringify(part.href)}
export default defineScorer({
  name: 'often',
  create: () => ({
    worth({ words, weight, count }: { words: readonly string[]; weight: number; count: number }) {
      if (words.includes('broken')) throw new Error('x')
      return weight * count
    },
  }),
})
`,
  )
  const config = configOf()
  const problems: Record<string, unknown>[] = []
  const { scorers } = scorersOf({ parts: { ...config.parts, scorer: path } }, (_, fields) => problems.push(fields))
  assert.deepEqual(scorers.names(), ['keywords', 'bm25', 'often'])
  const often = scorers.find('often')!
  const hit = (word: string) =>
    ({ leaf: { kind: 'words', words: [{ text: word, hash: 0 }] }, weight: 2, count: 3, stemming: 'none' }) as never
  assert.equal(worthOf(often, hit('java'), { tokens: 10 }), 6000)
  assert.deepEqual(problems, [])
  assert.equal(worthOf(often, hit('broken'), { tokens: 10 }), 2000)
  assert.equal(worthOf(often, hit('broken'), { tokens: 10 }), 2000)
  assert.deepEqual(problems, [{ part: 'scorer often', error: 'x' }])
  const interests = { ...noInterests, keywords: [{ key: 'java', weight: 1 }], scorer: 'often' }
  assert.deepEqual(validateInterests(interests, scorers), [])
  assert.match(validateInterests(interests, scorersOf(config).scorers)[0]!.message, /no scorer often/)
  assert.throws(
    () => scorersOf({ parts: { ...config.parts, scorer: join(folder, 'none.ts') } }),
    (error) => isAppError(error, 'part-invalid'),
  )
})
