import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf } from './up-run.ts'
import { withWatching } from './watching.ts'

const ann = 'ann@example.org'

/** The same text with a different file, picture and description. */
function page(file: string, picture: string, description: string): string {
  return `Report</p><p><a href="/files/${file}">Download</a></p><meta name="description" content="${description}">
    <img src="/${picture}.jpg" alt="Cover"><p>The yearly report.`
}

test('link, image and description changes create versions, and notify sources that watch these aspects', async () => {
  const pages: Record<string, ChangingPage> = { '/report': { words: page('a.pdf', 'one', 'First') } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations, query }) => {
    const source = { ...sourceOf(`${news.origin}/report`), process: 'track' as const }
    await put(
      profileOf('usual', ann, [source], {}),
      profileOf('words', ann, [{ ...source, aspects: ['text'] }], {}),
      profileOf('images', ann, [{ ...source, aspects: ['images', 'description'] }], {}),
    )
    begin()
    await checked()
    const steps: [words: string, told: string[]][] = [
      [page('b.pdf', 'one', 'First'), ['usual: Download: a.pdf → b.pdf']],
      [page('b.pdf', 'two', 'First'), ['images: Cover: one.jpg → two.jpg']],
      [page('b.pdf', 'two', 'Second'), ['images: First → Second']],
    ]
    const expected: string[] = []
    for (const [words, told] of steps) {
      pages['/report']!.words = words
      await checked(2)
      expected.push(...told)
      const found = (await annotations()).filter(({ backlog }) => !backlog)
      assert.deepEqual(
        found.map(({ profile, summary }) => `${profile}: ${summary.text}`),
        expected,
        words,
      )
    }
    assert.deepEqual(
      query('SELECT reason FROM versions ORDER BY n').map(({ reason }) => reason),
      ['new', 'links', 'changed', 'changed'],
    )
  })
})
