import { configOf } from '../../../config/load-config.ts'
import { createKeys } from '../../../crawl/normalize/document-keys.ts'
import { openDatabase } from '../../../store/sqlite/folder/database.ts'
import { paths, readFacts } from '../../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../../store/sqlite/folder/schema-catalog.ts'
import { createSqliteSystem } from '../../../store/sqlite/testkit/store.testkit.ts'
import { createTestServer } from '../../server.testkit.ts'
import { ada, eve } from './archive.testkit.ts'
import { testScreenshots } from './screenshots.testkit.ts'

testScreenshots('embedded', async (captures) => {
  const system = createSqliteSystem()
  const { folder } = system
  const [shard] = await system.open(1)
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  const keyOf = createKeys(configOf(), readFacts(db)!.seed)
  db.close()
  for (const capture of captures(keyOf)) await shard!.documents.record([capture])
  await system.close()
  const erace = await createTestServer({ folder })
  for (const email of [ada, eve]) await erace.addUser(email)
  erace.db.exec('UPDATE documents SET for_all = 0')
  return {
    erace,
    keyOf,
    async dropBody(id) {
      erace.db.prepare("UPDATE versions SET body = 'dropped' WHERE id = ?").run(id)
    },
    async close() {
      await erace.close()
      await system.destroy()
    },
  }
})
