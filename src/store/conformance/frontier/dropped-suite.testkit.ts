import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DroppedLinks, maxDroppedExamples, type TrapRule } from '../../contracts/dropped-links.ts'
import { openTwo, type StoreEngine, withSystem } from '../engine.testkit.ts'

function dropsOf(host: string, rule: TrapRule, paths: readonly string[], count = paths.length): DroppedLinks {
  const parent = `http://${host}/`
  return { host, rule, count, examples: paths.map((path) => ({ url: `http://${host}${path}`, parent, at: 1_000 })) }
}

/** Links that the trap limits dropped: how many, and the first ones. */
export function droppedLinksSuite(engine: StoreEngine): void {
  describe(`dropped links (${engine.name})`, () => {
    const withTwo = (work: Parameters<typeof withSystem>[2]) => withSystem(engine, { shards: 2 }, work)

    test(
      'are counted by host and rule, with the first ones kept as examples',
      withTwo(async (system) => {
        const [first, second] = await openTwo(system)
        const [a, b] = [system.hostOf(0, 0), system.hostOf(1, 0)]
        const many = Array.from({ length: maxDroppedExamples + 5 }, (_, n) => `/${n}/`)
        await first.frontier.noteDropped([dropsOf(a, 'path', ['/x']), dropsOf(a, 'path', ['/x', '/y'], 7)])
        await first.frontier.noteDropped([dropsOf(a, 'depth', ['/z'])])
        await first.frontier.noteDropped([dropsOf(a, 'path', ['/y'])])
        await second.frontier.noteDropped([dropsOf(b, 'repeated-pages', many)])
        await second.frontier.noteDropped([])
        const { frontier: view, close } = engine.openStores(system)
        const expected = [
          dropsOf(a, 'depth', ['/z']),
          dropsOf(a, 'path', ['/x', '/y'], 9),
          dropsOf(b, 'repeated-pages', many.slice(0, maxDroppedExamples), many.length),
        ].sort((one, other) => (one.host < other.host ? -1 : one.host > other.host ? 1 : 0))
        assert.deepEqual(await view.dropped(null, 100), expected)
        const paged: DroppedLinks[] = []
        for (let after: DroppedLinks | null = null; ; ) {
          const [next]: DroppedLinks[] = await view.dropped(after, 1)
          if (next === undefined) break
          paged.push(next)
          after = next
        }
        assert.deepEqual(paged, expected)
        close()
      }),
    )

    test(
      'of a later run replace those of earlier runs',
      withTwo(async (system) => {
        const host = system.hostOf(0, 0)
        const [first] = await openTwo(system)
        await first.frontier.noteDropped([dropsOf(host, 'path', ['/x'], 5)])
        await system.close()
        const [again] = await openTwo(system, 2)
        await again.frontier.noteDropped([dropsOf(host, 'path', ['/y\0"'], 1)])
        const { frontier: view, close } = engine.openStores(system)
        const [kept] = await view.dropped(null, 10)
        assert.equal(kept!.count, 1)
        assert.match(kept!.examples[0]!.url, /\/y.{1}"$/)
        close()
      }),
    )
  })
}
