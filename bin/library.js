// The entry of the library. Like the launcher, it takes the sources in a checkout and the compiled files in an installed package.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

const [major] = process.versions.node.split('.')
if (Number(major) < 24) throw new Error(`erace needs Node 24 or later; this is ${process.version}`)

const source = new URL('../src/library/index.ts', import.meta.url)
// Not `await import`: a module that waits can't be loaded by require().
const library = createRequire(import.meta.url)(
  existsSync(source) ? '../src/library/index.ts' : '../dist/library/index.js',
)

export const {
  AppError,
  crawl,
  crawlPages,
  defineConfig,
  defineDocumentSet,
  defineFetcher,
  defineFilter,
  defineFrontier,
  defineModule,
  defineResolver,
  defineScorer,
  defineStorage,
  defineUrlSet,
  isAppError,
  openArchive,
  startService,
  toMarkdown,
} = library
