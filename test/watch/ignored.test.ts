import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf } from './up-run.ts'
import { withWatching } from './watching.ts'

const [ann, bob, cat] = ['ann@example.org', 'bob@example.org', 'cat@example.org']

test('a change in ignored text notifies only users who do not ignore it, and its version is kept', async () => {
  const pages: Record<string, ChangingPage> = { '/': { words: 'Weather: sunny. It rains on java.' } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations, query }) => {
    const source = sourceOf(`${news.origin}/`)
    const ignore = ['Weather:\\s+\\w+']
    await put(
      profileOf('track', ann, [{ ...source, process: 'track' }], {}, { ignore }),
      profileOf('filter', cat, [source], { java: 1 }, { ignore }),
    )
    begin()
    await checked()
    pages['/']!.words = 'Weather: windy. It rains on java.'
    await checked(2)
    const kinds = async () =>
      (await annotations()).map(({ profile, kind, backlog }) => `${profile} ${backlog ? 'baseline' : kind}`).sort()
    assert.deepEqual(await kinds(), ['filter baseline', 'track baseline'])

    await put(profileOf('all', bob, [{ ...source, process: 'track' }], {}))
    await checked(2)
    pages['/']!.words = 'Weather: cloudy. It rains on java.'
    await checked(2)
    assert.deepEqual(await kinds(), ['all baseline', 'all changed', 'filter baseline', 'track baseline'])

    pages['/']!.words = 'Weather: foggy. It snows on java.'
    await checked(2)
    const changed = (await annotations()).filter(({ backlog }) => !backlog).slice(1)
    assert.deepEqual(changed.map(({ profile }) => profile).sort(), ['all', 'filter', 'track'])
    const textOf = (id: string) => changed.find(({ profile }) => profile === id)!.summary.text
    assert.doesNotMatch(textOf('track'), /Weather|cloudy|foggy/)
    for (const id of ['track', 'all']) assert.match(textOf(id), /rains.*→|rains.*snows/)
    assert.match(textOf('all'), /Weather|cloudy|foggy/)
    assert.deepEqual(
      query('SELECT n, body, wanted FROM versions ORDER BY n').map(({ n, body, wanted }) => `${n} ${body} ${wanted}`),
      ['1 kept 1', '2 kept 1', '3 kept 1', '4 kept 1'],
    )
  })
})
