import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf, until } from './up-run.ts'
import { withWatching } from './watching.ts'

test('a rarely checked watch reports changes that other watches found in between', async () => {
  const pages: Record<string, ChangingPage> = {
    '/': { words: 'The list of the town', links: ['/news'] },
    '/other': { words: 'Another list', links: ['/news'] },
    '/news': { words: 'The bridge is open.' },
  }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations, watches }) => {
    const source = (path: string, everyMs: number) => ({
      ...sourceOf(`${news.origin}${path}`, { depth: 1, everyMs, everyMaxMs: everyMs }),
    })
    await put(
      profileOf('fast', 'ann@example.org', [source('/', 300)], { recall: 1 }),
      profileOf('slow', 'bob@example.org', [source('/other', 6000)], { recall: 1 }),
    )
    begin()
    await checked()
    const fast = async () => (await watches.all()).find(({ uri }) => uri.endsWith('/'))!
    const again = async (): Promise<void> => {
      const from = Date.now()
      for (let row = await fast(); row.round < from || row.checkedAt < row.round; row = await fast())
        await new Promise((resolve) => setImmediate(resolve))
    }
    pages['/news']!.words = 'The bridge is open.</p><p>A recall of kettles begins.'
    await again()
    pages['/news']!.words = 'The bridge is closed.</p><p>A recall of kettles begins.'
    await again()
    const told = async (of: string) =>
      (await annotations()).filter(({ backlog, profile }) => !backlog && profile === of)
    for (const profile of ['fast', 'slow'])
      await until(`${profile} is told`, async () => (await told(profile)).length > 0)
    const [slow] = await told('slow')
    assert.match(slow!.summary.text, /recall of kettles/)
  })
})
