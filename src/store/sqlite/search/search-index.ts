import { existsSync, rmSync } from 'node:fs'
import type { SQLInputValue } from 'node:sqlite'
import { AppError, isAppError } from '../../../core/errors.ts'
import type { PassedOver } from '../../../core/reports/search-report.ts'
import type { SearchQuery } from '../../../core/search-query/query.ts'
import { searchableText } from '../../../core/search-query/searchable-text.ts'
import type { AddOutcome, FoundPage, Hit, HitPage, IndexBatch, SearchIndex } from '../../contracts/search.ts'
import type { VersionStore } from '../../contracts/versions.ts'
import { type KeptCheck, MAX_RANKED, pageOf } from '../../rules/search-page.ts'
import { siteWords } from '../../rules/site-words.ts'
import { type Database, openDatabase, storeError } from '../folder/database.ts'
import { paths } from '../folder/folder.ts'
import { ftsMatch, searchMigrations } from './fts-expression.ts'
import { createTextMarker } from './text-marker.ts'

export type SearchIndexOptions = {
  path: string
  kept: KeptCheck
}

/** Weight of a word in the title relative to one in the text. */
const TITLE_WEIGHT = 8

export function openSqliteSearchIndex({ path, kept }: SearchIndexOptions): SearchIndex {
  const { db, sql } = openIndex(path)
  let marker: ReturnType<typeof createTextMarker> | null = null

  const watermark = (): number => factOf(sql.fact.get('watermark'))

  function add({ after, upTo, texts, passedOver }: IndexBatch, maxWaitMs: number | undefined): AddOutcome {
    const write = (): AddOutcome => {
      const stands = watermark()
      if (stands !== after) return { kind: 'overtaken', watermark: stands }
      for (const { versionId, documentId, host, at, title, text } of texts) {
        sql.addWords.run(versionId, searchableText(title).text, searchableText(text).text, siteWords(host).join(' '))
        sql.addEntry.run(versionId, documentId, host, at)
      }
      sql.setFact.run(upTo, 'watermark')
      sql.addFact.run(texts.length, 'versions')
      for (const why of Object.keys(passedOver) as PassedOver[])
        if (passedOver[why] > 0) sql.addFact.run(passedOver[why], why)
      return { kind: 'added' }
    }
    try {
      return db.write(write, maxWaitMs)
    } catch (error) {
      if (maxWaitMs !== undefined && isAppError(error, 'store-locked')) return { kind: 'busy' }
      throw error
    }
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

  /** The newest matching versions with their scores; one more than the limit, to show that there are others. */
  function candidates(query: SearchQuery): Hit[] {
    const within: string[] = []
    const values: SQLInputValue[] = [ftsMatch(query)]
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
    return pageOf(
      db.read(() => candidates(asked)),
      page,
      kept,
    )
  }

  return {
    watermark: async () => db.read(watermark),
    add: async (batch, maxWaitMs) => add(batch, maxWaitMs),
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

/** If statements can't be prepared, the file is damaged, although SQLite reports an invalid statement. */
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

/** Opens the index of a data folder, creating it if necessary. */
export function openSearch(folder: string, versions: Pick<VersionStore, 'version'>): SearchIndex {
  const kept = async (ids: readonly number[]): Promise<ReadonlySet<number>> => {
    const alive = new Set<number>()
    for (const id of ids) if ((await versions.version(id))?.body === 'kept') alive.add(id)
    return alive
  }
  return openSqliteSearchIndex({ path: paths.search(folder), kept })
}

/**
 * Removes versions from the index of a data folder, if it has one. Search only finds versions that the catalogue keeps, so an index that
 * can't be updated wastes space, nothing more: it is reported once and left alone.
 */
export function createSearchRemover(
  folder: string,
  versions: Pick<VersionStore, 'version'>,
  onWarning: (message: string) => void,
) {
  let isOff = !existsSync(paths.search(folder))
  let index: SearchIndex | null = null
  return {
    async remove(versionIds: number[]): Promise<void> {
      if (isOff) return
      try {
        index ??= openSearch(folder, versions)
        await index.remove(versionIds)
      } catch (error) {
        isOff = true
        onWarning(`could not update the search index: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
    close: async (): Promise<void> => index?.close(),
  }
}

/** Deletes the index in any state. A process that still has it open keeps working on the deleted file. */
export function removeSearch(folder: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${paths.search(folder)}${suffix}`, { force: true })
}

/** Unlike other files of the data folder, this one can be rebuilt: the error says so. */
export function explainDamage(error: unknown): unknown {
  if (!isAppError(error, 'store-damaged')) return error
  return new AppError(
    'store-damaged',
    `${error.message}; the archive is intact; erace search --rebuild rebuilds the index`,
    { cause: error },
  )
}
