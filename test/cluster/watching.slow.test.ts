import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { postgresStores } from '../../src/app/engines/postgres-stores.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import { readSeed } from '../../src/store/postgres/schema/migrate.ts'
import { createDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { createGate, createSite } from '../site/site.ts'
import { profileOf, sourceOf, until } from '../watch/up-run.ts'
import { startInCluster, startWorker } from './worker-process.ts'

usePostgres()

describe('sources watched by a cluster', () => {
  test('are checked and annotated by the workers, before, during and after a crawl', async () => {
    const addresses = ['127.0.9.1', '127.0.9.2', '127.0.9.3']
    const site = await createSite({ pages: 3, addresses: [...addresses, '127.0.9.4'], apart: true })
    const database = await createDatabase()
    const stores = postgresStores(database.pool, await readSeed(database.pool))
    for (const host of addresses.keys()) site.set('/news', { body: `<p>java at host ${host}` }, host)
    const sources = addresses.map((_, host) => sourceOf(`${site.origin(host)}/news`))
    await stores.profiles.put([createProfileKeys({})(profileOf('p', 'ann@example.org', sources, { java: 4 }))])
    const patient = { ERACE_CRAWL_HEADERTIMEOUT: '10m', ERACE_CRAWL_TOTALTIMEOUT: '10m' }
    const env = { ERACE_SERVER_PORT: '0', ERACE_SCHEDULE_MINEVERY: '200ms', ...patient }
    const serve = startInCluster(database.address, ['serve', '--json'], env)
    const workers = ['one', 'two'].map((name) => startWorker(database.address, name, env))
    const countOf = async (kind: string): Promise<number> => {
      const made = await stores.annotations.list({ after: 0, limit: 99 })
      return made.filter((each) => each.kind === kind).length
    }
    await until('the first check of all sources', async () => (await countOf('new')) === 3)
    for (const host of addresses.keys()) site.set('/news', { body: `<p>java has changed at ${host}` }, host)
    await until('the changes', async () => (await countOf('changed')) === 3)
    // The last host is only crawled; the crawl can't end before the gate is open.
    const last = addresses.length
    const gate = createGate()
    site.set('/', { body: '<p>the last page', until: gate.opened }, last)
    const seeds = [...addresses.keys(), last].map((host) => `${site.origin(host)}/`)
    const crawl = startInCluster(database.address, ['crawl', ...seeds, '--json', '--threads', '1'], patient)
    await until('the crawl', () => site.log.some(({ hostIndex, path }) => hostIndex === last && path === '/'))
    for (const host of addresses.keys()) site.set('/news', { body: `<p>java during the crawl at ${host}` }, host)
    await until('the changes during the crawl', async () => (await countOf('changed')) === 6)
    gate.open()
    const { exitCode, stdout } = await crawl.ended
    assert.equal(exitCode, 0, stdout)
    // Sources are checked all the time; the crawl ends when its own pages are done.
    const { finished, queued } = JSON.parse(stdout)
    assert.deepEqual({ finished, queued }, { finished: true, queued: 0 })
    const documents = await stores.versions.documents({ after: 0, limit: 99 })
    assert.equal(documents.filter(({ url }) => !url.endsWith('/news')).length, 10)
    for (const host of addresses.keys()) site.set('/news', { body: `<p>java once more at ${host}` }, host)
    await until('the changes after the crawl', async () => (await countOf('changed')) === 9)
    assert.equal(await countOf('new'), 3)
    for (const { exitCode } of await Promise.all([serve, ...workers].map(({ stop }) => stop())))
      assert.equal(exitCode, 0)
    await database.destroy()
    await site.close()
  })
})
