import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../core/clock.ts'
import { openOne } from '../../conformance/engine.testkit.ts'
import { offersOf, pageOf } from '../../conformance/samples.testkit.ts'
import { createSqliteSystem, type SqliteSystem } from '../testkit/store.testkit.ts'
import { type BackupOptions, backupFolder } from './backup.ts'
import { type RestoreOptions, restoreFolder } from './restore.ts'
import type { SealKey } from './sealed-file.ts'

/** An open data folder with some pages and queued URLs, and a place next to it for backups. */
export type BackedUp = {
  system: SqliteSystem
  place: string
  host: string
  shard: Awaited<ReturnType<typeof openOne>>
  backup(name: string, more?: Partial<BackupOptions>): ReturnType<typeof backupFolder>
  restore(name: string, to: string, more?: Partial<RestoreOptions>): ReturnType<typeof restoreFolder>
}

export const keyOf = (word: string): SealKey => ({
  place: `/keys/${word}`,
  read: () => createHash('sha256').update(word).digest(),
})

export const PAGES = 40
export const QUEUED = 100

export async function withSystem(work: (parts: BackedUp) => Promise<void>): Promise<void> {
  const system = createSqliteSystem({ maxFileBytes: 2_000 })
  const place = mkdtempSync(join(tmpdir(), 'erace-backups-'))
  try {
    const shard = await openOne(system)
    const host = system.hostOf(0, 0)
    await shard.frontier.offer(offersOf(host, QUEUED))
    await shard.documents.record(
      Array.from({ length: PAGES }, (_, n) => pageOf(host, `/${n}`, `body ${n} `.repeat(20))),
    )
    await work({
      system,
      place,
      host,
      shard,
      backup: (name, more) =>
        backupFolder({
          folder: system.folder,
          file: join(place, name),
          force: false,
          clock: systemClock,
          key: keyOf('test key'),
          onWaiting() {},
          onProgress() {},
          ...more,
        }),
      restore: (name, to, more) =>
        restoreFolder({
          file: join(place, name),
          folder: join(place, to),
          clock: systemClock,
          key: keyOf('test key'),
          keepsKey: false,
          onProgress() {},
          ...more,
        }),
    })
  } finally {
    await system.destroy()
    rmSync(place, { recursive: true, force: true })
  }
}
