import { join } from 'node:path'
import { postgresStores } from '../../src/app/engines/postgres-stores.ts'
import { sqliteStores } from '../../src/app/engines/sqlite-stores.ts'
import {
  createLockedNearDuplicates,
  createNearDuplicateMemory,
  openNearDuplicateLock,
} from '../../src/services/annotating/near-duplicate-lock.ts'
import { openOne } from '../../src/store/conformance/engine.testkit.ts'
import type { NearDuplicateStore } from '../../src/store/contracts/annotations.ts'
import type { DocumentStore } from '../../src/store/contracts/documents.ts'
import type { StoreSet } from '../../src/store/contracts/store-set.ts'
import { createPostgresNearDuplicates } from '../../src/store/postgres/annotations/near-duplicates.ts'
import { openPool } from '../../src/store/postgres/connection/pool.ts'
import { createPostgresDocuments } from '../../src/store/postgres/documents/documents.ts'
import { migrate } from '../../src/store/postgres/schema/migrate.ts'
import type { PostgresServer } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'
import { openDatabase } from '../../src/store/sqlite/folder/database.ts'
import { paths } from '../../src/store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../src/store/sqlite/folder/schema-catalog.ts'
import { createSqliteSystem } from '../../src/store/sqlite/testkit/store.testkit.ts'
import { processorSeconds } from '../measure.ts'
import type { EngineTarget } from './engine-process.ts'

export const engineNames = ['SQLite', 'PostgreSQL'] as const
export type EngineName = (typeof engineNames)[number]

/** A new store of one of the engines, opened in this process. */
export type BenchStore = {
  name: EngineName
  /** For opening it in another process. */
  target: EngineTarget
  stores: StoreSet
  documents: Pick<DocumentStore, 'record'>
  nearDuplicates: NearDuplicateStore
  /** A host whose documents can be recorded. */
  host: string
  /** CPU time of this process and of the database so far. */
  processorMs(): number
  close(): Promise<void>
}

/** Opens a new store under a unique name. */
export type OpenStore = (engine: EngineName, name: string) => Promise<BenchStore>

/** `server` is needed only for PostgreSQL. */
export function createOpening(folder: string, server: PostgresServer | null): OpenStore {
  return (engine, name) => (engine === 'SQLite' ? openSqlite(join(folder, name)) : openPostgres(server!, name))
}

async function openSqlite(folder: string): Promise<BenchStore> {
  const system = createSqliteSystem({ maxFileBytes: 1_000_000_000 }, folder)
  const { documents } = await openOne(system)
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  const stores = sqliteStores(folder, db)
  const lock = openNearDuplicateLock(createNearDuplicateMemory())
  return {
    ...{ name: 'SQLite', target: { folder }, stores, documents, host: system.hostOf(0, 0) },
    nearDuplicates: createLockedNearDuplicates(lock, stores.annotations),
    processorMs: ownProcessorMs,
    async close() {
      await stores.close()
      await system.destroy()
    },
  }
}

function ownProcessorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const EPOCH = 1

async function openPostgres(server: PostgresServer, name: string): Promise<BenchStore> {
  const address = await server.createDatabase(name)
  const pool = openPool({ address, maxConnections: 4, name: 'bench' })
  await migrate(pool)
  await pool.query(`UPDATE leases SET epoch = $1, holder = 'bench', until = now() + interval '1 day'`, [EPOCH])
  const epochOf = (): number => EPOCH
  return {
    ...{ name: 'PostgreSQL', target: { address }, stores: postgresStores(pool, [0, 0]), host: 'www.example.org' },
    documents: createPostgresDocuments({ pool, epochOf }),
    nearDuplicates: createPostgresNearDuplicates({ pool, epochOf }),
    processorMs: () => ownProcessorMs() + processorSeconds(server.pid()) * 1000,
    close: () => pool.close(),
  }
}
