import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf } from './up-run.ts'
import { withWatching } from './watching.ts'

const ann = 'ann@example.org'

test('a profile that matches changes ignores unrelated ones, and reports an added keyword once', async () => {
  const old = 'The recall of last year is over.'
  const page = (...lines: string[]): string => [old, ...lines].join('</p><p>')
  const pages: Record<string, ChangingPage> = { '/': { words: page('The shop is open.') } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations }) => {
    await put(profileOf('recall', ann, [sourceOf(`${news.origin}/`)], { recall: 1 }, { match: 'change' }))
    begin()
    await checked()
    const told = async () => (await annotations()).filter(({ backlog }) => !backlog).map(({ summary }) => summary.text)
    pages['/']!.words = page('The shop is closed.')
    await checked(2)
    assert.deepEqual(await told(), [])
    pages['/']!.words = page('The shop is closed.', 'A recall of kettles was announced.')
    await checked(2)
    assert.deepEqual(await told(), ['+ A recall of kettles was announced.'])
    pages['/']!.words = 'A recall of kettles was announced.</p><p>The shop is closed.'
    await checked(2)
    assert.equal((await told()).length, 1, 'what is removed is not matched')
  })
})
