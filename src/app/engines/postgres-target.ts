import { findPostgresFaults } from '../../store/postgres/archive/checks.ts'
import { giveUpDamaged } from '../../store/postgres/archive/repair.ts'
import { readPostgresStatus } from '../../store/postgres/archive/status.ts'
import { newestVersion } from '../../store/postgres/archive/version-mark.ts'
import {
  createKeptCheck,
  createPostgresSearchIndex,
  removeSearchIndex,
} from '../../store/postgres/search/search-index.ts'
import { openPostgresStores } from './postgres-stores.ts'
import type { TargetStores } from './target.ts'

/** A command does one thing after the other, and reads a few records at a time. */
const MAX_CONNECTIONS = 4

/** A shared store, beside whoever else uses it. */
export async function openPostgresTarget(address: string): Promise<TargetStores> {
  const stores = await openPostgresStores({ address, maxConnections: MAX_CONNECTIONS, name: 'erace' })
  const { pool } = stores
  return {
    ...stores,
    readStatus: async () => ({ ...(await readPostgresStatus(pool)), disk: await stores.readDisk() }),
    newestVersion: () => newestVersion(pool),
    openSearch: async () => createPostgresSearchIndex({ pool, kept: createKeptCheck(pool) }),
    removeSearch: () => removeSearchIndex(pool),
    explainSearchFault: (error) => error,
    findFaults: () => findPostgresFaults(pool),
    // Whoever works there meanwhile is not in the way.
    whileAlone: (work) => work(),
    async giveUp(damage) {
      const records = damage.flatMap((found) => (found.kind === 'record' ? [found] : []))
      const damaged = records.map(({ versionId, offset }) => ({ versionId, record: offset }))
      return { lost: await giveUpDamaged(pool, damaged), forgottenFiles: 0 }
    },
  }
}
