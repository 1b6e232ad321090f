import { readBlocks } from '../../src/core/text/blocks.ts'
import { sketchBeside, storyOf } from '../../src/matching/near-duplicate/same-story.ts'
import { BANDS, encodeSketch, readLines, type TextSketch } from '../../src/matching/near-duplicate/text-sketch.ts'
import { knownTexts } from '../../src/services/annotating/story-texts.ts'
import { nothing } from '../../src/store/conformance/annotations-suite.testkit.ts'
import { openPool } from '../../src/store/postgres/connection/pool.ts'
import { openDatabase } from '../../src/store/sqlite/folder/database.ts'
import { paths } from '../../src/store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../src/store/sqlite/folder/schema-catalog.ts'
import type { BenchStore } from '../deliver/stores.ts'
import { createRandom } from '../origin/random.ts'
import { readRealDocuments } from './documents.ts'
import { type BenchPage, makePages } from './pages.ts'
import { tunedTexts } from './sites.ts'

export type LookUps = { texts: number; sizeMb: number; ms: number; found: number; of: number }

const DOCUMENTS = 1_000
/** Pages per host, as many as a look-up reads of one host. */
const PER_HOST = 50
/** Limit, since the number of a text and the hash of a band are packed into one number for sorting. */
const MAX_TEXTS = 2 ** 20
const LINES = 40

type Filled = { texts: number; sizeMb: number; documents: ReturnType<typeof readRealDocuments> }

const linesOf = ({ body }: Pick<BenchPage, 'body'>) => readLines(readBlocks(body, { contentType: 'text/html' })!.blocks)

/** Inserts random texts of realistic size, then real ones through the contract. */
export async function fillTexts(store: BenchStore, texts: number): Promise<Filled> {
  if (texts > MAX_TEXTS) throw new RangeError(`at most ${MAX_TEXTS} texts`)
  const { folder, address } = store.target as { folder?: string; address?: string }
  const sizeMb = folder === undefined ? await fillPostgres(address!, texts) : fillSqlite(folder, texts)
  const documents = readRealDocuments(['apache2-doc', 'cmake-doc', 'postgresql-doc-15', 'git-doc'], DOCUMENTS, 3)
  for (const [n, document] of documents.entries()) {
    const sketch = sketchBeside(linesOf(document), [])
    if (sketch === null) continue
    const versionId = texts + n + 1
    const kept = { versionId, documentId: versionId, host: document.host, at: 0, cluster: versionId }
    const nearDuplicates = [{ ...kept, bands: sketch.bands, sketch: encodeSketch(sketch) }]
    await store.stores.annotations.commit({ ...nothing, nearDuplicates })
  }
  return { texts, sizeMb, documents }
}

function randomSketch(): Buffer {
  const random = createRandom(5)
  const numbers = (count: number) => Uint32Array.from({ length: count }, () => random.below(2 ** 32)).sort()
  const sketch: TextSketch = {
    ...{ bands: [], shingles: numbers(128), lineOf: new Uint8Array(128).map(() => random.below(LINES)) },
    ...{ lines: numbers(LINES), words: new Uint16Array(LINES).fill(20), main: new Uint8Array(LINES).fill(1) },
  }
  return encodeSketch(sketch)
}

const hostOf = (n: number): string => `h${Math.floor(n / PER_HOST)}.example`

/** Inserts bands in the order of their index, which takes a fraction of the time. */
function fillSqlite(folder: string, texts: number): number {
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  const random = createRandom(4)
  const bands = Array.from({ length: BANDS }, () => Uint32Array.from({ length: texts }, () => random.below(2 ** 32)))
  const sketch = randomSketch()
  const add = db.prepare(
    'INSERT INTO stories (version, document, host, at, story, bands, sketch) VALUES (?1, ?1, ?2, 0, ?1, ?3, ?4)',
  )
  const addBand = db.prepare('INSERT INTO story_bands (band, version) VALUES (?, ?)')
  db.write(() => {
    for (let n = 0; n < texts; n++) {
      const keys = bands.map((band, at) => at * 2 ** 32 + band[n]!)
      add.run(n + 1, hostOf(n), JSON.stringify(keys), sketch)
    }
  })
  for (const [at, band] of bands.entries()) {
    const sorted = Float64Array.from(band, (hash, n) => hash * MAX_TEXTS + n).sort()
    db.write(() => {
      for (const both of sorted)
        addBand.run(at * 2 ** 32 + Math.floor(both / MAX_TEXTS), Math.floor(both % MAX_TEXTS) + 1)
    })
  }
  const [{ bytes }] = db
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .all() as [{ bytes: number }]
  db.close()
  return bytes / 1e6
}

async function fillPostgres(address: string, texts: number): Promise<number> {
  const pool = openPool({ address, maxConnections: 1, name: 'fill' })
  await pool.query(
    `INSERT INTO stories (version, document, host, at, story, bands, sketch)
     SELECT n + 1, n + 1, 'h' || n / ${PER_HOST} || '.example', 0, n + 1, '[' || repeat('1234567890,', ${BANDS - 1}) || '1]', decode($2, 'base64')
     FROM generate_series(0, $1::int - 1) AS n`,
    [texts, randomSketch().toString('base64')],
  )
  await pool.query('ALTER TABLE story_bands DROP CONSTRAINT story_bands_pkey')
  await pool.query(
    `INSERT INTO story_bands SELECT band * 4294967296 + floor(random() * 4294967296)::bigint, n
     FROM generate_series(1, $1::int) AS n, generate_series(0, ${BANDS - 1}) AS band`,
    [texts],
  )
  await pool.query('ALTER TABLE story_bands ADD PRIMARY KEY (band, version)')
  await pool.query('VACUUM (ANALYZE) stories, story_bands')
  const [size] = await pool.query<{ bytes: number }>(
    `SELECT pg_total_relation_size('stories') + pg_total_relation_size('story_bands') AS bytes`,
  )
  await pool.close()
  return size!.bytes / 1e6
}

/** Measures everything from a sketch to its story. Sketches are computed before, as they cost the same with every store. */
export async function measureLookUps(store: BenchStore, filled: Filled, count: number): Promise<LookUps> {
  const { documents, texts, sizeMb } = filled
  const { annotations } = store.stores
  const pages = makePages(documents, tunedTexts, { rewrites: count, templatePages: 0 }, 9)
  const rewrites = pages.filter(({ kind }) => kind === 'rewrite')
  const asked = rewrites.flatMap((page, n) => {
    const sketch = sketchBeside(linesOf(page), [])
    return sketch === null ? [] : [{ sketch, host: hostOf((n * 7_919) % texts), story: page.story }]
  })
  const before = store.processorMs()
  let found = 0
  for (const { sketch, host, story } of asked) {
    const ofHost = knownTexts(await annotations.textsOfHost(host, 0))
    const candidates = knownTexts(await annotations.textsInBands(sketch.bands))
    if (storyOf({ host, sketch }, candidates, ofHost) === texts + Number(story.slice(1)) + 1) found++
  }
  return {
    texts: texts + documents.length,
    sizeMb,
    ms: (store.processorMs() - before) / asked.length,
    found,
    of: asked.length,
  }
}
