import { openPostgresStores } from '../../src/app/engines/postgres-stores.ts'
import { startArchive } from '../../src/app/server/archive.ts'
import { configOf } from '../../src/config/load-config.ts'
import { createKeys } from '../../src/crawl/normalize/document-keys.ts'
import { ada, eve } from '../../src/server/routes/archive/archive.testkit.ts'
import { testScreenshots } from '../../src/server/routes/archive/screenshots.testkit.ts'
import { createTestServer } from '../../src/server/server.testkit.ts'
import { createDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { workerDocuments } from './stored-pages.ts'

testScreenshots('cluster', async (captures) => {
  const database = await createDatabase()
  const { address } = database
  const stores = await openPostgresStores({ address, maxConnections: 5, name: 'server' })
  const { pool } = stores
  const keyOf = createKeys(configOf(), stores.seed)
  const documents = await workerDocuments(stores)
  for (const capture of captures(keyOf)) await documents.record([capture])
  await pool.query('UPDATE documents SET for_all = false')
  const erace = await createTestServer({ stores: { stores, archive: (config) => startArchive({ address }, config) } })
  for (const email of [ada, eve]) await erace.addUser(email)
  return {
    erace,
    keyOf,
    async dropBody(id) {
      await pool.query("UPDATE versions SET body = 'dropped' WHERE id = $1", [id])
    },
    async close() {
      await erace.close()
      await database.destroy()
    },
  }
})

// Hooks run in the order of registration: PostgreSQL stops last.
usePostgres()
