import { type NearDuplicate, type StoredText, storyLimits } from '../../contracts/stories.ts'
import type { Database } from '../folder/database.ts'

type TextRow = { host: string; cluster: number; sketch: Uint8Array }
type OldRow = { n: number; version: number; at: number; bands: string }

/** The texts that are searched for near-duplicates. Everything here runs in the caller's transaction. */
export function createSqliteStories(db: Database) {
  const sql = {
    add: db.prepare(
      'INSERT OR IGNORE INTO stories (version, document, host, at, story, bands, sketch) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    addBand: db.prepare('INSERT OR IGNORE INTO story_bands (band, version) VALUES (?, ?)'),
    oldest: db.prepare(`SELECT n, version, at, bands FROM stories ORDER BY n LIMIT ${storyLimits.leaving}`),
    remove: db.prepare('DELETE FROM stories WHERE n = ?'),
    removeBand: db.prepare('DELETE FROM story_bands WHERE band = ? AND version = ?'),
    ofBand: db.prepare(
      `SELECT version FROM story_bands WHERE band = ? ORDER BY version DESC LIMIT ${storyLimits.ofBand}`,
    ),
    text: db.prepare('SELECT host, story AS cluster, sketch FROM stories WHERE version = ?'),
    ofHost: db.prepare(
      `SELECT host, story AS cluster, sketch FROM stories WHERE host = ? AND document <> ?
       ORDER BY n DESC LIMIT ${storyLimits.pagesOfHost}`,
    ),
  }
  sql.ofBand.setReturnArrays(true)

  /** Removes texts beyond the limits, a few at a time: more than are added. */
  function forgetOld(newest: number, now: number): void {
    for (const { n, version, at, bands } of sql.oldest.all() as OldRow[]) {
      if (n > newest - storyLimits.texts && at >= now - storyLimits.maxAgeMs) return
      sql.remove.run(n)
      for (const band of JSON.parse(bands) as number[]) sql.removeBand.run(band, version)
    }
  }

  return {
    add({ versionId, documentId, host, at, cluster, bands, sketch }: NearDuplicate): void {
      const added = sql.add.run(versionId, documentId, host, at, cluster, JSON.stringify(bands), sketch)
      if (added.changes === 0) return
      for (const band of bands) sql.addBand.run(band, versionId)
      forgetOld(Number(added.lastInsertRowid), at)
    },
    inBands(bands: readonly number[]): StoredText[] {
      const met = new Map<number, number>()
      for (const band of bands)
        for (const [version] of sql.ofBand.all(band) as unknown as [number][])
          met.set(version, (met.get(version) ?? 0) + 1)
      return [...met]
        .sort(([a, n], [b, m]) => m - n || b - a)
        .slice(0, storyLimits.candidates)
        .map(([version]) => ({ ...(sql.text.get(version) as TextRow) }))
    },
    ofHost: (host: string, documentId: number): StoredText[] =>
      sql.ofHost.all(host, documentId).map((row) => ({ ...(row as TextRow) })),
  }
}
