import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findCycle, importsOf, readSources } from '../scripts/source-imports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readSources(root, ['src', 'ui', 'test', 'bench', 'scripts', 'examples'])

const MAX_LINES = 500

/**
 * What each part may import besides itself, lowest first. Only the entry point (`src/main.ts`) and `app/` name concrete engines,
 * fetchers and threads. ARCHITECTURE.md shows this table, and a test compares the two.
 */
const mayImport = {
  core: [],
  xml: [],
  config: ['core'],
  'store/contracts': ['core'],
  'store/rules': ['core', 'store/contracts'],
  'store/sqlite': ['core', 'config', 'store/contracts', 'store/rules'],
  'store/postgres': ['core', 'config', 'store/contracts', 'store/rules'],
  archive: ['core', 'config', 'xml', 'store/contracts', 'store/rules'],
  crawl: ['core', 'config', 'store/contracts', 'store/rules', 'archive'],
  matching: ['core', 'config', 'xml', 'store/contracts'],
  fetchers: ['core', 'config', 'store/contracts', 'crawl'],
  services: ['core', 'config', 'xml', 'store/contracts', 'store/rules', 'archive', 'crawl', 'matching', 'fetchers'],
  cluster: ['core', 'config', 'store/contracts', 'store/rules', 'crawl', 'fetchers', 'services'],
  server: ['core', 'config', 'xml', 'store/contracts', 'store/rules', 'services'],
  cli: ['core', 'config', 'xml', 'store/contracts', 'store/rules', 'services'],
  app: [
    ...[
      'core',
      'config',
      'xml',
      'store/contracts',
      'store/rules',
      'store/sqlite',
      'store/postgres',
      'archive',
      'crawl',
    ],
    ...['matching', 'fetchers', 'services', 'cluster', 'server', 'cli'],
  ],
} as const satisfies Record<string, readonly string[]>

type Part = keyof typeof mayImport

/** Database drivers and the only part that may know them. */
const driverOwners: Record<string, Part> = { 'node:sqlite': 'store/sqlite', pg: 'store/postgres' }

const compositionRoot = /^src\/main\.ts$/

function partOf(path: string): Part | undefined {
  const parts = Object.keys(mayImport) as Part[]
  return parts.find((part) => path.startsWith(`src/${part}/`))
}

/** Tests, and what only tests use, stand beside one part and may use others, real as they are. */
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

  test('each part imports only the parts it may', () => {
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

  test('database drivers are known to one store engine each', () => {
    const broken: string[] = []
    for (const { path, imports } of program) {
      for (const { target } of imports) {
        const owner = Object.entries(driverOwners).find(
          ([driver]) => target === driver || target.startsWith(`${driver}/`),
        )
        if (owner !== undefined && partOf(path) !== owner[1]) broken.push(`${path} imports ${target}`)
      }
    }
    assert.deepEqual(broken, [])
  })

  test('nothing that is shipped imports a test', () => {
    const broken = program.filter(({ imports }) => imports.some(({ target }) => forTests.test(target)))
    assert.deepEqual(
      broken.map(({ path }) => path),
      [],
    )
  })

  test('the pages use the HTTP API alone', () => {
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

describe('the scan for imports', () => {
  test('finds every way to name another file', () => {
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

  test('finds a cycle over several files, but none in a file that starts a thread', () => {
    const file = (path: string, target: string, kind: 'static' | 'thread' = 'static') => ({
      path,
      lines: 1,
      imports: [{ target, kind }],
    })
    assert.deepEqual(findCycle([file('a', 'b'), file('b', 'c'), file('c', 'b')]), ['b', 'c', 'b'])
    assert.equal(findCycle([file('a', 'b', 'thread'), file('b', 'a')]), undefined)
  })
})
