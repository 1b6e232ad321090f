import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SearchEngine, SearchSystem } from '../../conformance/search-suite.testkit.ts'
import { openSqliteSearchIndex } from './search-index.ts'

/** An index in the temporary folder; everything is kept until it is dropped. */
export function createSearchSystem(): SearchSystem & { path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'erace-search-'))
  const path = join(folder, 'search.db')
  const dropped = new Set<number>()
  return {
    path,
    open: async () =>
      openSqliteSearchIndex({ path, kept: async (ids) => new Set(ids.filter((id) => !dropped.has(id))) }),
    drop(ids) {
      for (const id of ids) dropped.add(id)
    },
    destroy: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

export const sqliteSearch: SearchEngine = { name: 'embedded', create: async () => createSearchSystem() }
