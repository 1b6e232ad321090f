import type { LostVersions } from '../../rules/versioning.ts'
import { markLost } from '../documents/lost-versions.ts'
import { damagedRows } from './checks.ts'
import type { Database } from './database.ts'

export type ArchiveDamage = {
  /** Versions whose records can't be read. */
  versionIds: number[]
  /** Archive files that are not there. */
  missingFiles: number[]
  /** Archive files that are shorter than what was stored. */
  shortFiles: number[]
}

export type Repair = { lost: LostVersions; forgottenFiles: number }

/**
 * Gives up what can't be read any more, in one transaction, so that the catalogue promises nothing that the archive does not hold. The
 * archive itself is left as it is. Nobody else may be writing.
 */
export function giveUpDamaged(db: Database, { versionIds, missingFiles, shortFiles }: ArchiveDamage): Repair {
  return db.write(() => {
    const inFile = db.prepare('SELECT id FROM versions WHERE file = ?')
    const idsOf = (rows: unknown[]): number[] => (rows as { id: number }[]).map(({ id }) => id)
    const ids = new Set(versionIds)
    for (const fileId of missingFiles) for (const id of idsOf(inFile.all(fileId))) ids.add(id)
    for (const condition of Object.values(damagedRows))
      for (const id of idsOf(db.prepare(`SELECT v.id FROM versions v WHERE ${condition}`).all())) ids.add(id)
    const lost = markLost(db, ids)
    db.exec(`DELETE FROM bodies WHERE NOT EXISTS
      (SELECT 1 FROM versions v WHERE v.id = bodies.version AND v.digest = bodies.digest AND v.body = 'kept')`)
    for (const fileId of missingFiles) db.prepare('DELETE FROM files WHERE id = ?').run(fileId)
    // Whatever comes behind the last record that is needed does not count; a new file is begun for what comes next.
    const shorten = db.prepare(
      `UPDATE files SET state = iif(state = 'open', 'closed', state),
       length = (SELECT coalesce(max(offset + length), 0) FROM versions v WHERE v.file = files.id) WHERE id = ?`,
    )
    for (const fileId of shortFiles) shorten.run(fileId)
    return { lost, forgottenFiles: missingFiles.length }
  })
}
