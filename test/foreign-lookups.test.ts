import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findForeignLookups } from '../scripts/foreign-lookups.ts'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** Look-ups by a `string` that comes from a list in the code, not from untrusted input. */
const safe = new Map([
  ['src/config/load-config.ts', ['config[name]', 'section[fieldName(key)]']], // the names of settings
  ['src/crawl/worker/results/check-results.ts', ['results.counts[name]']], // names of counters
  // names of settings, from the lists of the agents
  [
    'src/services/channels/channel-settings.ts',
    ['settings[name]', 'known[name]', '(given as Record<string, unknown>)[name]'],
  ],
  ['src/services/crawls/crawl-report.ts', ['counts[name]']],
  ['src/store/postgres/annotations/annotation-writes.ts', ['row[name]']], // columns of annotations
  ['src/store/postgres/import/row-statements.ts', ['row[name]', 'item[name]']], // columns of imported tables
  ['src/store/sqlite/import/source-kind.ts', ['row[name]']], // columns of imported tables
  // the same names of settings, from the API
  ['ui/src/notifications/channel-fields.tsx', ['values[field.name]']],
  ['ui/src/notifications/channel-values.ts', ['channel.settings[name]', 'values[name]']],
])

test('no plain object is indexed by an untrusted key', () => {
  const found = findForeignLookups({
    root,
    configs: ['tsconfig.json', 'ui/tsconfig.json'],
    isSearched: (path) => /^(?:src|ui\/src)\//.test(path) && !/\.(?:test|testkit)\.tsx?$/.test(path),
  })
  const foreign = found.filter(({ file, text }) => safe.get(file)?.includes(text) !== true)
  // Use a Map, or check Object.hasOwn(table, key) first.
  assert.deepEqual(
    foreign.map(({ file, line, text }) => `${file}:${line} ${text}`),
    [],
  )
  const known = [...safe].flatMap(([file, texts]) => texts.map((text) => `${file} ${text}`))
  const met = new Set(found.map(({ file, text }) => `${file} ${text}`))
  assert.deepEqual(
    known.filter((each) => !met.has(each)),
    [],
    'exceptions that are no longer needed',
  )
})

test('the check finds unsafe look-ups in all forms, and ignores safe ones', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookups-'))
  try {
    writeFileSync(
      join(folder, 'tsconfig.json'),
      '{ "compilerOptions": { "strict": true, "target": "es2024", "types": [] } }',
    )
    writeFileSync(
      join(folder, 'a.ts'),
      `const table: Record<string, number> = { a: 1 }
const bare: Record<string, number> = Object.create(null)
const fixed = { a: 1, b: 2 }
export function find(word: string, name: 'a' | 'b', n: number, list: number[], map: Map<string, number>) {
  return [table[word], fixed[word as 'a'], (table as Record<string, number>)[word!], word in table, table[word.trim()],
    bare[word], fixed[name], list[n], map.get(word), 'a' in table, table[\`key_\${word}\`], table['a']]
}
export function write(word: string) { table[word] = 1 }
export const own = (word: string) => (Object.hasOwn(table, word) ? table[word] : 0)
export function all() { for (const key of Object.keys(table)) table[key]!++ }
`,
    )
    const found = findForeignLookups({
      root: folder,
      configs: ['tsconfig.json'],
      isSearched: (path) => path === 'a.ts',
    })
    assert.deepEqual(
      found.map(({ text }) => text),
      [
        ...['table[word]', "fixed[word as 'a']", '(table as Record<string, number>)[word!]', 'word in table'],
        ...['table[word.trim()]', 'table[word]'],
      ],
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
