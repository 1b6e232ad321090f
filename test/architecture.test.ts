import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findCycle, importsOf, literalsOf, readSources } from '../scripts/source-imports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readSources(root, ['src', 'ui', 'test', 'bench', 'scripts', 'examples'])

const MAX_LINES = 500
const MAX_APP_LINES = 200
const MAX_WIRING_LINES = 90

/** Matches the beginning of a literal that is an SQL statement. */
const sqlStatement =
  /^.\s*(?:WITH\s[\s\S]*?\b)?(?:SELECT\b|INSERT (?:OR \w+ )?INTO\b|UPDATE\s+\w+\s+(?:AS \w+ )?SET\b|DELETE FROM\b|PRAGMA \w|ALTER TABLE\b|(?:CREATE|DROP) (?:\w+ )?(?:TABLE|INDEX|TRIGGER|VIEW|DATABASE)\b)/

const below = ['core', 'config', 'store/contracts', 'store/rules'] as const

/**
 * The other parts that each part may import, lowest first. Only `app/` and the entry point (`src/main.ts`) name concrete engines, fetchers
 * and threads, and only the library imports `app/`. The table of folders in ARCHITECTURE.md must say the same.
 */
const mayImport = {
  core: [],
  xml: [],
  config: ['core'],
  'store/contracts': ['core'],
  'store/rules': ['core', 'store/contracts'],
  'store/sqlite': below,
  'store/postgres': below,
  'store/objects': below,
  archive: [...below, 'xml'],
  crawl: [...below, 'archive'],
  matching: ['core', 'config', 'xml', 'store/contracts'],
  fetchers: ['core', 'config', 'store/contracts', 'crawl'],
  delivery: ['core', 'config', 'xml', 'store/contracts'],
  services: [...below, 'xml', 'archive', 'crawl', 'matching', 'fetchers', 'delivery'],
  cluster: [...below, 'crawl', 'fetchers', 'services'],
  server: [...below, 'xml', 'services'],
  cli: [...below, 'xml', 'services'],
  app: [
    ...[...below, 'xml', 'store/sqlite', 'store/postgres', 'store/objects', 'archive', 'crawl'],
    ...['matching', 'fetchers', 'delivery', 'services', 'cluster', 'server', 'cli'],
  ],
  library: [...below, 'archive', 'crawl', 'services', 'cli', 'app'],
} as const satisfies Record<string, readonly string[]>

type Part = keyof typeof mayImport

/** Fetchers for third-party databases, which are sources. */
const databaseSources = 'src/fetchers/db/'
/** Database drivers, and the only part that may import each. Fetchers for third-party databases may import all of them. */
const driverOwners: Record<string, Part> = { 'node:sqlite': 'store/sqlite', pg: 'store/postgres', mysql2: 'fetchers' }

const compositionRoot = /^src\/main\.ts$/

function partOf(path: string): Part | undefined {
  const parts = Object.keys(mayImport) as Part[]
  return parts.find((part) => path.startsWith(`src/${part}/`))
}

/** Tests, and what only tests use, may import any part. */
const forTests = /\.(?:test|testkit)\.ts$/
const program = sources.filter(({ path }) => path.startsWith('src/') && !forTests.test(path))

describe('the architecture', () => {
  test('every file under src belongs to a part or is the composition root', () => {
    const strays = program.filter(({ path }) => partOf(path) === undefined && !compositionRoot.test(path))
    assert.deepEqual(
      strays.map(({ path }) => path),
      [],
    )
  })

  test('each part imports only the parts it is allowed to', () => {
    const broken: string[] = []
    for (const { path, imports } of program) {
      const part = partOf(path)
      if (part === undefined) continue
      for (const { target } of imports) {
        if (!target.startsWith('src/') && !/^(ui|test|bench|scripts|examples)\//.test(target)) continue
        const targetPart = partOf(target)
        const isAllowed =
          targetPart === part ||
          (targetPart !== undefined && (mayImport[part] as readonly string[]).includes(targetPart))
        if (!isAllowed) broken.push(`${path} imports ${target}`)
      }
    }
    assert.deepEqual(broken, [])
  })

  test('each database driver is imported by only one part', () => {
    const broken: string[] = []
    for (const { path, imports } of program) {
      if (path.startsWith(databaseSources)) continue
      for (const { target } of imports) {
        const owner = Object.entries(driverOwners).find(
          ([driver]) => target === driver || target.startsWith(`${driver}/`),
        )
        if (owner !== undefined && partOf(path) !== owner[1]) broken.push(`${path} imports ${target}`)
      }
    }
    assert.deepEqual(broken, [])
  })

  test('the folder table in ARCHITECTURE.md matches the enforced imports', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    const rows = [...text.matchAll(/^\| `src\/([\w/]+)\/` \|[^|]*\| ([^|]*) \|$/gm)]
    const documented = rows.map(([, part, imports]) => [part, imports === '–' ? [] : imports!.split(', ').toSorted()])
    const enforced = Object.entries(mayImport).map(([part, imports]) => [part, [...imports].toSorted()])
    assert.deepEqual(documented, enforced)
  })

  test('SQL is written only in the store', () => {
    const outside = program.filter(({ path }) => !path.startsWith('src/store/') && !path.startsWith(databaseSources))
    const broken = outside.flatMap(({ path, text }) => {
      return literalsOf(text).flatMap((literal) => (sqlStatement.test(literal) ? [`${path}: ${literal}`] : []))
    })
    assert.deepEqual(broken, [])
  })

  test('the composition only wires: no loops or timers outside threads, no long files or functions', () => {
    const broken: string[] = []
    for (const { path, text, lines } of program) {
      if (!path.startsWith('src/app/')) continue
      const isThread = path.startsWith('src/app/threads/')
      if (/^\s*(?:while \(|do \{|for \((?:;|let .*;))/m.test(text) && !isThread) broken.push(`${path} has a loop`)
      if (/\bset(?:Interval|Timeout)\(/.test(text) && !isThread) broken.push(`${path} has a timer`)
      if (lines > MAX_APP_LINES) broken.push(`${path} has ${lines} lines`)
      for (const [body, name] of text.matchAll(/^(?:export )?(?:async )?function (\w+)[\s\S]*?^\}$/gm))
        if (body.split('\n').length > MAX_WIRING_LINES) broken.push(`${name} in ${path} is too long`)
    }
    assert.deepEqual(broken, [])
  })

  test('promises are raced only in race.ts', () => {
    const racing = program.filter(({ text }) => /\bPromise\.(?:race|any)\(|\bAbortSignal\.any\(/.test(text))
    assert.deepEqual(
      racing.map(({ path }) => path),
      ['src/core/work/race.ts'],
    )
  })

  test('every imported file and every thread script exists', () => {
    const ours = /^(?:src|ui|test|bench|scripts|examples)\/.*\.[jt]sx?$/
    const missing = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => ours.test(target) && !path.endsWith('.test.ts') && !existsSync(join(root, target)))
        .map(({ target }) => `${path} names ${target}`),
    )
    assert.deepEqual(missing, [])
  })

  test('shipped code does not import test code', () => {
    const broken = program.filter(({ imports }) => imports.some(({ target }) => forTests.test(target)))
    assert.deepEqual(
      broken.map(({ path }) => path),
      [],
    )
  })

  test('the web pages import nothing from src', () => {
    const broken = sources.filter(({ path, imports }) => {
      return path.startsWith('ui/') && imports.some(({ target }) => target.startsWith('src/'))
    })
    assert.deepEqual(
      broken.map(({ path }) => path),
      [],
    )
  })

  test('there are no import cycles', () => {
    assert.equal(findCycle(sources)?.join(' -> '), undefined)
  })

  test(`no file is longer than ${MAX_LINES} lines`, () => {
    const long = sources.filter(({ lines }) => lines > MAX_LINES).map(({ path, lines }) => `${path}: ${lines}`)
    assert.deepEqual(long, [])
  })
})

describe('the import scanner', () => {
  test('finds every kind of import', () => {
    const text = [
      "import a, { type B } from './a.ts'",
      'import {',
      '  c,',
      '  d,',
      "} from '../core/c.ts'",
      "import type { E } from './e.ts'",
      "import './f.ts'",
      "export { g } from './g.ts'",
      "export type * from './h.ts'",
      "const i = await import('./i.ts')",
      "new Worker(new URL('./j.ts', import.meta.url))",
      "import { readFile } from 'node:fs'",
      "// import k from './k.ts'",
    ].join('\n')
    const found = importsOf('src/crawl/x.ts', text).map(({ target }) => target)
    assert.deepEqual(found.toSorted(), [
      'node:fs',
      'src/core/c.ts',
      'src/crawl/a.ts',
      'src/crawl/e.ts',
      'src/crawl/f.ts',
      'src/crawl/g.ts',
      'src/crawl/h.ts',
      'src/crawl/i.ts',
      'src/crawl/j.ts',
    ])
  })

  test('finds string literals, and SQL statements among them', () => {
    const text =
      "// it's SELECT 1\nconst a = 'SELECT 1 FROM t' /* `UPDATE` */\nconst b = `\n  INSERT INTO t`\nconst c = 'Select one'"
    assert.deepEqual(literalsOf(text), ["'SELECT 1 FROM t'", '`\n  INSERT INTO t`', "'Select one'"])
    const found = literalsOf(text).filter((literal) => sqlStatement.test(literal))
    assert.deepEqual(found, ["'SELECT 1 FROM t'", '`\n  INSERT INTO t`'])
  })

  test('finds import cycles, but does not count the start of a thread as an import', () => {
    const file = (path: string, target: string, kind: 'static' | 'thread' = 'static') => ({
      path,
      imports: [{ target, kind }],
    })
    assert.deepEqual(findCycle([file('a', 'b'), file('b', 'c'), file('c', 'b')]), ['b', 'c', 'b'])
    assert.equal(findCycle([file('a', 'b', 'thread'), file('b', 'a')]), undefined)
  })
})
