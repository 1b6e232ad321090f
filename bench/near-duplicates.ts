/**
 * Near-duplicates: precision and recall on pages of real manuals, rewritten on other sites, among pages that share a template; and the
 * cost of a look-up among a million texts. Thresholds were tuned on the first set; the second is held out, with other manuals, sites and
 * sentences.
 */
import { readBlocks } from '../src/core/text/blocks.ts'
import { createNearDuplicateIndex } from '../src/matching/near-duplicate/near-duplicate-index.ts'
import { startPostgres } from '../src/store/postgres/testkit/postgres-server.testkit.ts'
import { createOpening, type EngineName, engineNames } from './deliver/stores.ts'
import { withFolder } from './measure.ts'
import { readRealDocuments } from './near-duplicates/documents.ts'
import { fillTexts, type LookUps, measureLookUps } from './near-duplicates/look-ups.ts'
import { type BenchPage, makePages, type PageKind } from './near-duplicates/pages.ts'
import { heldOutTexts, type SiteTexts, tunedTexts } from './near-duplicates/sites.ts'
import { type Benchmark, numbersOf } from './table.ts'

export const optionNames = ['documents', 'rewrites', 'template-pages', 'texts', 'look-ups', 'stores']

const GOAL = 0.95
const GOAL_MS = 1

type PageSet = { name: string; manuals: readonly string[]; texts: SiteTexts; seed: number }

const sets: readonly PageSet[] = [
  {
    name: 'tuned',
    manuals: ['apache2-doc', 'cmake-doc', 'postgresql-doc-15', 'python-django-doc', 'git-doc'],
    texts: tunedTexts,
    seed: 1,
  },
  {
    name: 'held out',
    manuals: ['octave-doc', 'openjdk-17-doc', 'qtbase5-doc-html', 'sqlite3-doc', 'python3.11-doc', 'libglib2.0-doc'],
    texts: heldOutTexts,
    seed: 7,
  },
]

type Count = { pages: number; short: number; right: number; wrong: number }

/** A page is grouped correctly if the first page of its group belongs to the same story. */
function judge(pages: readonly BenchPage[]): Map<PageKind, Count> {
  const index = createNearDuplicateIndex({ capacity: pages.length })
  const counts = new Map<PageKind, Count>()
  for (const [id, { kind, story, host, body }] of pages.entries()) {
    const count = counts.get(kind) ?? { pages: 0, short: 0, right: 0, wrong: 0 }
    counts.set(kind, count)
    count.pages++
    const first = index.add(id, { host, texts: readBlocks(body, { contentType: 'text/html' })!.blocks })
    if (first === null) count.short++
    else if (first !== id) count[pages[first]!.story === story ? 'right' : 'wrong']++
  }
  return counts
}

export const run: Benchmark = async ({ values }) => {
  const number = numbersOf(values)
  const wanted = { rewrites: number('rewrites', 1_000), templatePages: number('template-pages', 500) }
  const rows: (string | number)[][] = []
  const stats: Record<string, number> = {}
  for (const { name, manuals, texts, seed } of sets) {
    const documents = readRealDocuments(manuals, number('documents', 1_000), seed)
    const counts = judge(makePages(documents, texts, wanted, seed))
    for (const [kind, { pages, short, right, wrong }] of counts) rows.push([name, kind, pages, short, right, wrong])
    const all = [...counts.values()]
    const joins = all.reduce((sum, { right, wrong }) => sum + right + wrong, 0)
    const rewrites = counts.get('rewrite')!
    const key = name.replace(' ', '-')
    stats[`${key}-precision`] = all.reduce((sum, { right }) => sum + right, 0) / joins
    stats[`${key}-recall`] = rewrites.right / rewrites.pages
  }
  const notes = [`goal: precision and recall ${GOAL} each; a look-up in ${GOAL_MS} ms of processor time`]
  for (const { engine, texts, sizeMb, ms, found, of } of await lookUps(values)) {
    stats[`${engine}-look-up-ms`] = ms
    notes.push(
      `${engine}: ${texts} texts, ${sizeMb.toFixed(0)} MB; ${of} look-ups of ${ms.toPrecision(3)} ms processor time each, with the texts of the host, candidates and comparison; ${found} of ${of} rewrites found`,
    )
  }
  return {
    name: 'near-duplicates',
    columns: ['set', 'pages', 'count', 'too short', 'joined rightly', 'joined wrongly'],
    rows,
    stats,
    notes,
  }
}

async function lookUps(values: Record<string, string>): Promise<(LookUps & { engine: EngineName })[]> {
  const number = numbersOf(values)
  const engines = engineNames.filter((engine) => (values.stores ?? engineNames.join()).split(',').includes(engine))
  const server = engines.includes('PostgreSQL') ? await startPostgres({ settings: { shared_buffers: '256MB' } }) : null
  try {
    return await withFolder(async (folder) => {
      const open = createOpening(folder, server)
      const done: (LookUps & { engine: EngineName })[] = []
      for (const engine of engines) {
        const store = await open(engine, 'texts')
        const filled = await fillTexts(store, number('texts', 1_000_000))
        done.push({ engine, ...(await measureLookUps(store, filled, number('look-ups', 2_000))) })
        await store.close()
      }
      return done
    })
  } finally {
    await server?.end()
  }
}
