import { openPostgresStores } from '../../src/app/engines/postgres-stores.ts'
import { startArchive } from '../../src/app/server/archive.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type RoutesArchive, secretPage } from '../../src/server/every-route.testkit.ts'
import { ada, eve, root } from '../../src/server/routes/archive/archive.testkit.ts'
import { createTestServer } from '../../src/server/server.testkit.ts'
import { createNodeCounters } from '../../src/services/activity/node-board.ts'
import { createNodeList } from '../../src/services/activity/node-list.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import { createPostgresEvents } from '../../src/store/postgres/cluster/events.ts'
import { createPostgresNodes } from '../../src/store/postgres/cluster/nodes.ts'
import { createDatabase } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { profileOf, sourceOf } from '../watch/up-run.ts'
import { annotatePage, storePages } from './stored-pages.ts'

/** Ada watches a host with `/secret-plans` and has an annotation of it. The archive has its own database. */
export async function createClusterArchive(): Promise<RoutesArchive & { address: string }> {
  const database = await createDatabase()
  const { address } = database
  const stores = await openPostgresStores({ address, maxConnections: 5, name: 'server' })
  const { pool, profiles, watches } = stores
  const events = createPostgresEvents({ pool })
  const nodes = createPostgresNodes(pool)
  const erace = await createTestServer({
    settings: { 'network.allow': ['127.0.0.0/8'], 'credentials.key': 'ab'.repeat(32) },
    stores: { stores, archive: (config) => startArchive({ address }, config) },
    needs: {
      counters: createNodeCounters({ nodes, lostMs: 15_000 }),
      nodes: createNodeList({ nodes, leaseMs: 15_000, clock: systemClock }),
      crawlControl: nodes,
      shared: { events, node: 'test' },
    },
  })
  for (const email of [ada, eve]) await erace.addUser(email)
  await erace.addUser(root, { role: 'administrator' })
  const url = (path: string): string => `http://127.0.0.1:9000${path}`
  await profiles.put(
    [profileOf('ada-news', ada, [sourceOf(url('/'), { depth: 2 })], { solar: 1 })].map(createProfileKeys({})),
  )
  const urds = await profiles.urdsOf('ada-news')
  const pages = { [url('/')]: '<title>Start</title><p>solar news</p>', [url('/secret-plans')]: secretPage }
  const [start, secret] = await storePages(stores, pages, urds[0]!.watch)
  const visited = { checkedAt: 1, outcome: 'stored', status: 200, changes: 0, landed: null }
  await watches.finish(urds.map(({ id, watch }) => ({ ...visited, watch, visited: [id] })))
  await annotatePage(stores, secret!, ada)
  const pageOf = (of: string) => (of === start!.url ? start! : secret!)
  return {
    address,
    erace,
    url,
    idOf: (of) => pageOf(of).documentId,
    versionOf: (of) => pageOf(of).versionId,
    async close() {
      await events.close()
      await erace.close()
      await database.destroy()
    },
  }
}
