import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../site/crawl-run.ts'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf } from './up-run.ts'
import { withWatching } from './watching.ts'

const ann = 'ann@example.org'

test('the lists and the filter of the configuration apply to everything the service fetches', async () => {
  const pages: Record<string, ChangingPage> = {
    '/': { words: 'java', links: ['/a', '/b.zip', '/c.old', '/private/d', '/drafts/e'] },
    '/a': { words: 'java' },
    '/b.zip': { words: 'java' },
    '/private/source': { words: 'java' },
    '/source.old': { words: 'java' },
  }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, watches }) => {
    const uris = ['/', '/private/source', '/source.old'].map((path) => news.origin + path)
    await put(
      profileOf('java', ann, [sourceOf(uris[0]!, { depth: 1 }), ...uris.slice(1).map((uri) => sourceOf(uri))], {
        java: 1,
      }),
    )
    const block = join(newFolder(), 'block.txt')
    writeFileSync(block, `# not ours\n${news.origin}/private/\n`)
    begin({
      ERACE_CRAWL_MIME: 'text/html html,application/zip zip',
      ERACE_CRAWL_IGNORE: 'old',
      ERACE_CRAWL_BLOCK: `@${block}`,
      ERACE_CRAWL_FILTER: JSON.stringify({ not: { url: '/drafts/' } }),
    })
    await checked()
    const asked = new Set(news.site.asked)
    assert.deepEqual([...asked].sort(), ['/', '/a', '/b.zip', '/robots.txt'])
    const outcomes = (await watches.all()).map(({ uri, outcome }) => `${uri.slice(news.origin.length)} ${outcome}`)
    assert.deepEqual(outcomes.sort().slice(1), ['/private/source skipped: blocked', '/source.old skipped: type'])
  })
})
