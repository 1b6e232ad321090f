import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSearchQuery } from '../../../core/search-query/parse-query.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { wordsQuery, wordsVector } from './inbox-words.ts'

usePostgres()

const owner = "o'wner\\@x.example"

function queryOf(text: string, who = owner): string {
  const parsed = parseSearchQuery(text)
  assert.ok(parsed.kind === 'query' && parsed.query.match !== null, text)
  return wordsQuery(who, parsed.query.match)
}

const source = {
  owner,
  title: "L'Été à Straße, Ωμέγας",
  text: 'The naïve 東京都に Йод and Иод ﬁne हिन्दी',
  url: 'https://www.deep.example.co.uk:8443/a-b/c?d=e',
}

describe('inbox words', () => {
  test('are found as users type them, and only by their owner', async () => {
    const { pool, destroy } = await createDatabase()
    const vector = wordsVector(source)
    const finds = async (query: string): Promise<boolean> => {
      const [row] = await pool.query<{ found: boolean }>('SELECT $1::tsvector @@ $2::tsquery AS found', [vector, query])
      return row!.found
    }
    const found = [
      'ete',
      'ÉTÉ',
      'l ete',
      '"l ete a"',
      'intitle:été',
      'naive',
      'ωμεγασ',
      'ΩΜΈΓΑΣ',
      '東京',
      'йод',
      'fine',
    ]
    found.push('हिन्दी', 'deep', 'a-b', 'site:co.uk', 'site:deep.example.co.uk', 'stra*', '-nowhere', 'йод -site:com')
    for (const text of found) assert.equal(await finds(queryOf(text)), true, text)
    const missed = [
      'intitle:naive',
      '"ete ωμεγας"',
      '"ωμεγας the"',
      'иодо',
      'site:deep.example.co',
      'site:eep.example.co.uk',
    ]
    missed.push('owner', 'wner', 'हन', '-deep', 'et', 'o*wner')
    for (const text of missed) assert.equal(await finds(queryOf(text)), false, text)
    for (const text of found) assert.equal(await finds(queryOf(text, 'other@x.example')), false, `${text} of another`)
    await destroy()
  })

  test('are limited for very long texts', async () => {
    const { pool, destroy } = await createDatabase()
    const texts = [
      'x'.repeat(3_000_000),
      'ab '.repeat(500_000),
      Array.from({ length: 300_000 }, (_, n) => `w${n}`).join(' '),
    ]
    for (const text of texts) {
      const vector = wordsVector({
        ...source,
        text,
        title: text,
        url: `http://${'a.'.repeat(100)}example/${text.slice(0, 5_000)}`,
      })
      const [row] = await pool.query<{ bytes: number }>('SELECT pg_column_size($1::tsvector) AS bytes', [vector])
      assert.ok(row!.bytes < 500_000, `${row!.bytes}`)
    }
    await destroy()
  })
})
