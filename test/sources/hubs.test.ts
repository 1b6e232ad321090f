import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHub } from '../../src/fetchers/news/hub.testkit.ts'
import { freePort } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'
import { until } from '../watch/up-run.ts'
import { engines, withWorld } from '../watch/world.ts'

const feed = (hub: string, entries: readonly string[]) => ({
  type: 'application/atom+xml',
  body: `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>urn:f</id><link rel="hub" href="${hub}"/>${entries
    .map((words, at) => `<entry><id>urn:${at}</id><title>Entry ${at}</title><summary>${words}</summary></entry>`)
    .join('')}</feed>`,
})

for (const [engine, start] of Object.entries(engines)) {
  test(`a hub notification reports a new entry before its feed is due, ${engine}`, async () => {
    const hub = await startHub()
    try {
      const port = await freePort()
      await withWorld(
        start,
        { '/feed': feed(hub.url, ['The first entry.']), '/plain': { body: 'A page without a hub.' } },
        async ({ me, told, site, serve }) => {
          const source = { every: '1d', everyMax: '1d', depth: 0, process: 'track', method: 'push' }
          await me.ask('POST', '/profiles', {
            name: 'Feeds',
            sources: ['/feed', '/plain'].map((path) => ({ ...source, uri: `${site.origin}${path}` })),
          })
          await until('the hub was asked to tell', async () => hub.subscriptions.size === 1)
          await until('both are kept', async () => (await inbox(me)).length === 2)
          // Read to find its hub, checked as a new source, and checked again after the hub's confirmation: no other request is due today.
          await until('it is quiet', async () => site.asked.filter((path) => path === '/feed').length >= 3)
          const words = ['The first entry.', 'The second entry brings something new.']
          serve('/feed', feed(hub.url, words))
          assert.deepEqual(await hub.publish(`${site.origin}/feed`, words[1]!), [202])
          await until('the new entry is told', async () => (await told()).length === 1)
          assert.match((await told())[0]!.summary.text, /second entry brings/)
        },
        { ERACE_SERVER_PORT: String(port), ERACE_SERVER_URL: `http://127.0.0.1:${port}` },
      )
      await hub.settled()
      assert.ok(hub.verified.every(({ mode, isRight }) => mode === 'unsubscribe' || isRight))
    } finally {
      // An open server would keep the process of a failed test alive.
      await hub.end()
    }
  })
}

for (const [engine, start] of Object.entries(engines)) {
  test(`the TTL of a feed delays its next check, up to the maximum interval of the source, ${engine}`, async () => {
    const body =
      '<rss version="2.0"><channel><title>News</title><ttl>180</ttl><item><title>One</title></item></channel></rss>'
    await withWorld(
      start,
      { '/feed': { type: 'application/rss+xml', body }, '/other': { type: 'text/xml', body } },
      async ({ me, site }) => {
        const sources = [
          { uri: `${site.origin}/feed`, every: '10m', everyMax: '1d' },
          { uri: `${site.origin}/other`, every: '10m', everyMax: '10m' },
        ]
        await me.ask('POST', '/profiles', { name: 'Feeds', sources })
        const rows = async () => (await me.ask<{ items: Row[] }>('GET', '/sources?limit=10')).items
        await until('both were checked', async () =>
          (await rows()).every(({ lastCheckedAt }) => lastCheckedAt !== null),
        )
        const waits = async () =>
          (await rows())
            .map(({ lastCheckedAt, nextCheckAt }) => (Date.parse(nextCheckAt) - Date.parse(lastCheckedAt!)) / 60_000)
            .sort((one, other) => one - other)
        const [promised, asTheFeedSays] = await waits()
        assert.ok(promised! < 15, `${promised} minutes`)
        assert.ok(asTheFeedSays! > 170 && asTheFeedSays! < 200, `${asTheFeedSays} minutes`)
      },
    )
  })
}

type Row = { lastCheckedAt: string | null; nextCheckAt: string }

async function inbox(me: { ask<T>(method: string, path: string): Promise<T> }): Promise<unknown[]> {
  return (await me.ask<{ items: unknown[] }>('GET', '/annotations?limit=200')).items
}
