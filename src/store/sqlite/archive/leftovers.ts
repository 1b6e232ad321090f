import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../folder/database.ts'

/**
 * Names of archive files that may be left over when a process is killed: noted in the catalogue before a file gets a
 * name that no row has, and in the transaction that takes the row of a file away. Whoever finds a note removes the file,
 * unless a row has its name, and then the note.
 */
const prefix = 'leftover:'

export function noteLeftover(db: Database, name: string): void {
  db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, 1)').run(prefix + name)
}

export function forgetLeftover(db: Database, name: string): void {
  db.prepare('DELETE FROM facts WHERE name = ?').run(prefix + name)
}

export function removeLeftovers(db: Database, archive: string): void {
  const notes = db.prepare('SELECT name FROM facts WHERE name >= ? AND name < ?').all(prefix, `${prefix}\u{10ffff}`)
  const isFile = db.prepare('SELECT 1 FROM files WHERE name = ?')
  for (const { name: note } of notes as { name: string }[]) {
    const name = note.slice(prefix.length)
    rmSync(join(archive, `${name}.part`), { force: true })
    if (isFile.get(name) === undefined) {
      // Somebody who did not know of the note may have put it aside.
      for (const ending of ['', '.stray']) rmSync(join(archive, name + ending), { force: true })
    }
    forgetLeftover(db, name)
  }
}
