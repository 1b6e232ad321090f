import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import type { GraphView } from '../contracts/graph-view.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { type OpenShard, openOne, withSystem } from './engine.testkit.ts'
import { fingerprintOf, goneOf, noteOf, pageOf } from './samples.testkit.ts'

/** Link keys as stored by the crawl: high word, low word. */
function keysOf(urls: readonly string[]): Uint8Array {
  const words = urls.flatMap((url) => {
    const fp = BigInt.asUintN(64, fingerprintOf(url))
    return [Number(fp >> 32n), Number(fp & 0xffffffffn)]
  })
  return new Uint8Array(Uint32Array.from(words).buffer)
}

const pathOf = (url: string): string => url.slice(url.indexOf('/', 8))

export function graphViewSuite(engine: StoreEngine): void {
  const withGraph = (
    fill: (shard: OpenShard, host: string) => Promise<void>,
    look: (view: GraphView, host: string) => Promise<void>,
  ) =>
    withSystem(engine, {}, async (system) => {
      const host = system.hostOf(0, 0)
      await fill(await openOne(system), host)
      const { graph, close } = engine.openStores(system, { clock: systemClock })
      try {
        await look(graph, host)
      } finally {
        close()
      }
    })

  describe(`the crawl graph (${engine.name})`, () => {
    test(
      'contains each link between its documents once, whether stored as keys or as text',
      withGraph(
        async (shard, host) => {
          const at = (path: string): string => `http://${host}${path}`
          const links = [at('/b'), at('/elsewhere'), at('/a'), at('/c')]
          await shard.documents.record([
            pageOf(host, '/a', 'a', { links, linkKeys: keysOf(links), title: 'A' }),
            pageOf(host, '/b', 'b', { links: [at('/a')], parent: at('/a') }),
            pageOf(host, '/c', 'c', { parent: at('/b') }),
            noteOf(host, '/old', 'redirect', { status: 301, location: at('/c') } as object),
          ])
        },
        async (view, host) => {
          const { nodes, edges, more } = await view.graph({ host: null, limit: 100 })
          const named = edges.map(([from, to]) => `${pathOf(nodes[from]!.url)} ${pathOf(nodes[to]!.url)}`).sort()
          assert.deepEqual(named, ['/a /b', '/a /c', '/b /a', '/b /c', '/old /c'])
          assert.equal(more, false)
          assert.deepEqual([nodes.at(-1)!.title, nodes.at(-1)!.host], ['A', host], 'the newest come first')
        },
      ),
    )

    test(
      'shows the state of each document',
      withGraph(
        async (shard, host) => {
          await shard.documents.record([pageOf(host, '/here', 'x'), pageOf(host, '/gone', 'y')])
          await shard.documents.record([
            goneOf(host, '/gone'),
            noteOf(host, '/broken', 'failed', { status: 500 }),
            noteOf(host, '/moved', 'redirect', { status: 302 }),
            noteOf(host, '/here', 'unchanged'),
          ])
        },
        async (view, host) => {
          const { nodes } = await view.graph({ host, limit: 10 })
          const states = Object.fromEntries(nodes.map(({ url, state }) => [pathOf(url), state]))
          assert.deepEqual(states, { '/here': 'fetched', '/gone': 'gone', '/broken': 'failed', '/moved': 'redirect' })
        },
      ),
    )

    test(
      'contains no more documents than requested, and reports that there are more',
      withGraph(
        async (shard, host) => {
          await shard.documents.record(Array.from({ length: 250 }, (_, n) => pageOf(host, `/${n}`, `${n}`)))
        },
        async (view, host) => {
          const some = await view.graph({ host: null, limit: 120 })
          assert.deepEqual([some.nodes.length, some.more, pathOf(some.nodes[0]!.url)], [120, true, '/249'])
          const exactly = await view.graph({ host, limit: 250 })
          assert.deepEqual([exactly.nodes.length, exactly.more], [250, false])
          assert.deepEqual((await view.graph({ host: 'nowhere.example', limit: 5 })).nodes, [])
        },
      ),
    )

    test(
      'limits the number of links',
      withGraph(
        async (shard, host) => {
          const urls = Array.from({ length: 200 }, (_, n) => `http://${host}/${n}`)
          const linkKeys = keysOf(urls)
          await shard.documents.record(urls.map((_, n) => pageOf(host, `/${n}`, `${n}`, { links: urls, linkKeys })))
        },
        async (view) => {
          const { edges, more } = await view.graph({ host: null, limit: 5_000 })
          assert.deepEqual([edges.length, more], [20_000, true])
        },
      ),
    )
  })
}
