import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf } from './up-run.ts'
import { withWatching } from './watching.ts'

test('a source is flagged while its page needs JavaScript to show its content', async () => {
  const pages: Record<string, ChangingPage> = {
    '/app': {
      words: '<noscript>Please enable JavaScript</noscript><div id="root"></div><script src="/app.js"></script>',
    },
    '/open': { words: 'A long text about the river and its bridges, which everybody can read. '.repeat(20) },
  }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, profiles }) => {
    const source = (path: string) => ({ ...sourceOf(`${news.origin}${path}`), process: 'track' as const })
    await put(profileOf('app', 'ann@example.org', [source('/app'), source('/open')], {}))
    begin()
    await checked()
    const seen = async () => (await profiles.urdsOf('app')).map(({ selected }) => selected)
    assert.deepEqual(await seen(), ['script', ''])
    pages['/app']!.words = pages['/open']!.words!
    await checked(2)
    assert.deepEqual(await seen(), ['', ''])
  })
})
