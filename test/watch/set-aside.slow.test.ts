import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startCluster, startUp } from '../kit/service.ts'
import { createAccount } from '../pages/account.ts'
import { createHandlerSite } from '../site/handler-site.ts'
import { until } from './up-run.ts'

const LINES = 400

/** Lines that trigger the worst case of slow expressions. */
const lines = Array.from({ length: LINES }, (_, n) =>
  Array.from({ length: 1000 }, (_, at) => ((n * 31 + at * at) % 7 < 3 ? 'a' : 'b')).join(''),
)
const slow = (n: number): string => `x${n}|a[ab]{${400 + n}}b[ab]{${300 + n}}c`

for (const [name, start] of [
  ['one process', startUp],
  ['a cluster', startCluster],
] as const)
  describe(`expensive expressions, on ${name}`, () => {
    test('set aside only their own source, with a reason, and its whole change is shown', async () => {
      let edition = 1
      const site = await createHandlerSite((path, response) => {
        const text = `<title>Lines</title><p>java edition ${edition}</p>${lines.map((line) => `<p>${line}</p>`).join('')}`
        response.end(path === '/robots.txt' ? '' : text)
      })
      const service = await start()
      try {
        const ann = await createAccount(service)
        const expressions = Array.from({ length: 100 }, (_, n) => slow(n))
        const source = { uri: `${site.origin}/lines`, every: '1h' }
        await ann.watch(source.uri, { name: 'plain', sources: [{ ...source, process: 'track' }] })
        const ignoring = { ignore: ['java edition [0-9]', ...expressions.slice(1)] }
        await ann.watch(source.uri, {
          name: 'ignoring',
          sources: [{ ...source, process: 'track' }],
          interests: ignoring,
        })
        const keywords = expressions.slice(0, 50).map((each) => ({ key: `/${each}/`, weight: 1 }))
        await ann.watch(source.uri, { name: 'matching', sources: [source], interests: { keywords, match: 'page' } })
        await ann.visited()
        edition++
        await ann.checkAll()
        const messages = async () =>
          new Map((await ann.sources()).map(({ profile, message, failing }) => [profile.name, { message, failing }]))
        await until('both to be set aside', async () => {
          const seen = await messages()
          return ['ignoring', 'matching'].every((each) => /too much work/.test(seen.get(each)?.message ?? ''))
        })
        const seen = await messages()
        assert.match(
          seen.get('ignoring')!.message,
          /^The expressions to ignore of the profile “ignoring” .*\/lines, so/,
        )
        assert.match(seen.get('matching')!.message, /^The interests of the profile “matching” .*\/lines, so/)
        assert.doesNotMatch(seen.get('plain')!.message, /too much work/)
        // Both trackers are shown the whole change, although one would ignore it.
        const shown = (await ann.changes(2)).map(({ profile, changes: [change] }) => [profile.name, change?.after])
        assert.deepEqual(shown.toSorted(), [
          ['ignoring', 'java edition 2'],
          ['plain', 'java edition 2'],
        ])
      } finally {
        await service.destroy()
        await site.close()
      }
    })
  })
