import type { SQLInputValue } from 'node:sqlite'
import { AppError } from '../../../core/errors.ts'
import type { PassedOver } from '../../../core/reports/search-report.ts'
import type { SearchQuery } from '../../../core/search-query/query.ts'
import { searchableText } from '../../../core/search-query/searchable-text.ts'
import type { AddOutcome, FoundPage, Hit, HitPage, IndexBatch, SearchIndex } from '../../contracts/search.ts'
import { type Database, openDatabase, storeError } from '../folder/database.ts'
import { matchExpression, siteWords } from './fts-expression.ts'
import { searchMigrations } from './schema-search.ts'
import { createTextMarker } from './text-marker.ts'

export type SearchIndexOptions = {
  path: string
  /** Those of the versions whose bodies are kept: all else is not shown. */
  kept(versionIds: readonly number[]): Promise<ReadonlySet<number>>
}

/**
 * How many versions are ranked, the newest ones. Ranking costs 2 µs for each, and a word that is in every page of
 * 100,000 would take a quarter of a second.
 */
const MAX_RANKED = 5_000
/** A word in the title counts as so many in the text. */
const TITLE_WEIGHT = 8

export function openSqliteSearchIndex({ path, kept }: SearchIndexOptions): SearchIndex {
  const { db, sql } = openIndex(path)
  let marker: ReturnType<typeof createTextMarker> | null = null

  const watermark = (): number => factOf(sql.fact.get('watermark'))

  function add({ after, upTo, texts, passedOver }: IndexBatch): AddOutcome {
    return db.write(() => {
      const stands = watermark()
      if (stands !== after) return { kind: 'overtaken', watermark: stands }
      for (const { versionId, documentId, host, at, title, text } of texts) {
        sql.addWords.run(versionId, searchableText(title).text, searchableText(text).text, siteWords(host))
        sql.addEntry.run(versionId, documentId, host, at)
      }
      sql.setFact.run(upTo, 'watermark')
      sql.addFact.run(texts.length, 'versions')
      for (const why of Object.keys(passedOver) as PassedOver[])
        if (passedOver[why] > 0) sql.addFact.run(passedOver[why], why)
      return { kind: 'added' }
    })
  }

  function remove(versionIds: readonly number[]): number {
    return db.write(() => {
      let removed = 0
      for (const id of versionIds) {
        if (sql.removeEntry.run(id).changes === 0) continue
        sql.removeWords.run(id)
        removed++
      }
      sql.addFact.run(-removed, 'versions')
      return removed
    })
  }

  /** The newest versions that match, ranked; one more than the limit tells that there are others. */
  function candidates(query: SearchQuery): Hit[] {
    const within: string[] = []
    const values: SQLInputValue[] = [matchExpression(query)]
    if (query.beforeMs !== null) {
      within.push('AND e.at < ?')
      values.push(query.beforeMs)
    }
    if (query.afterMs !== null) {
      within.push('AND e.at >= ?')
      values.push(query.afterMs)
    }
    return db
      .prepare(
        `SELECT words.rowid AS versionId, e.document AS documentId, -bm25(words, ${TITLE_WEIGHT}, 1, 0) AS score
         FROM words CROSS JOIN entries e ON e.version = words.rowid
         WHERE words MATCH ? ${within.join(' ')} ORDER BY words.rowid DESC LIMIT ${MAX_RANKED + 1}`,
      )
      .all(...values) as Hit[]
  }

  async function query(asked: SearchQuery, page: HitPage): Promise<FoundPage> {
    const found = db.read(() => candidates(asked))
    const approximate = found.length > MAX_RANKED
    if (approximate) found.pop()
    const picked = await pickPage(groupByDocument(found), page, kept)
    return { ...picked, totalIsLowerBound: approximate, approximate }
  }

  return {
    watermark: async () => db.read(watermark),
    add: async (batch) => add(batch),
    remove: async (versionIds) => (versionIds.length === 0 ? 0 : remove(versionIds)),
    query,
    async marks(asked, texts) {
      marker ??= createTextMarker()
      return marker.marks(asked, texts)
    },
    async counts() {
      const count = (name: string): number => factOf(db.read(() => sql.fact.get(name)))
      const passedOver = { textless: count('textless'), bodiless: count('bodiless'), damaged: count('damaged') }
      return { versions: count('versions'), passedOver }
    },
    async close() {
      marker?.close()
      db.close()
    },
  }
}

/** A file whose tables can't be spoken to is damaged, though SQLite calls it a wrong statement. */
function openIndex(path: string) {
  const db = openDatabase(path, { migrations: searchMigrations, cacheKib: 16_384 })
  try {
    return { db, sql: prepareStatements(db) }
  } catch (error) {
    db.close()
    const failure = storeError(error, path)
    if (failure.code !== 'store-failed') throw failure
    throw new AppError('store-damaged', failure.message, { cause: error })
  }
}

type Picked = { hits: Hit[]; total: number; stale: number[] }

type Group = { documentId: number; score: number; versionIds: number[] }

/** One group for each document, best first; of equal ones the newest. `found` begins with the newest version. */
function groupByDocument(found: readonly Hit[]): Group[] {
  const groups = new Map<number, Group>()
  for (const { versionId, documentId, score } of found) {
    const group = groups.get(documentId)
    if (group === undefined) groups.set(documentId, { documentId, score, versionIds: [versionId] })
    else {
      group.score = Math.max(group.score, score)
      group.versionIds.push(versionId)
    }
  }
  return [...groups.values()].sort((a, b) => b.score - a.score)
}

/** The newest version of each document that is still kept. Only as many are asked about as the page needs. */
async function pickPage(
  groups: readonly Group[],
  { offset, limit }: HitPage,
  kept: SearchIndexOptions['kept'],
): Promise<Picked> {
  const stale: number[] = []
  const hits: Hit[] = []
  async function pickVersion(versionIds: readonly number[]): Promise<number | undefined> {
    const alive = await kept(versionIds)
    for (const id of versionIds) if (!alive.has(id)) stale.push(id)
    return versionIds.find((id) => alive.has(id))
  }
  let at = 0
  for (; at < groups.length && hits.length < offset + limit; at++) {
    const { documentId, score, versionIds } = groups[at]!
    const versionId = (await pickVersion(versionIds.slice(0, 1))) ?? (await pickVersion(versionIds.slice(1)))
    if (versionId !== undefined) hits.push({ versionId, documentId, score })
  }
  const total = hits.length + groups.length - at
  return { hits: hits.slice(offset), total, stale }
}

function factOf(row: unknown): number {
  return (row as { value: number } | undefined)?.value ?? 0
}

function prepareStatements(db: Database) {
  return {
    fact: db.prepare('SELECT value FROM facts WHERE name = ?'),
    setFact: db.prepare('UPDATE facts SET value = ? WHERE name = ?'),
    addFact: db.prepare('UPDATE facts SET value = value + ? WHERE name = ?'),
    addWords: db.prepare('INSERT OR REPLACE INTO words (rowid, title, body, site) VALUES (?, ?, ?, ?)'),
    addEntry: db.prepare('INSERT OR REPLACE INTO entries (version, document, host, at) VALUES (?, ?, ?, ?)'),
    removeEntry: db.prepare('DELETE FROM entries WHERE version = ?'),
    removeWords: db.prepare('DELETE FROM words WHERE rowid = ?'),
  }
}
