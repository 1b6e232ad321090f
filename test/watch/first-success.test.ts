import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf } from './up-run.ts'
import { withWatching } from './watching.ts'

const ann = 'ann@example.org'

test('the first successful check is a silent baseline even after a failure, and the next change notifies', async () => {
  const pages: Record<string, ChangingPage> = { '/late': { status: 404 } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations, query }) => {
    await put(profileOf('p', ann, [{ ...sourceOf(`${news.origin}/late`), process: 'track' as const }], {}))
    begin()
    await checked()
    assert.deepEqual(await annotations(), [])
    pages['/late'] = { words: 'Here at last.' }
    await checked(2)
    const told = () => query('SELECT kind, backlog, read FROM annotations ORDER BY id').map((row) => ({ ...row }))
    assert.deepEqual(told(), [{ kind: 'new', backlog: 1, read: 1 }])
    pages['/late'] = { words: 'And changed.' }
    await checked(2)
    assert.deepEqual(told().slice(1), [{ kind: 'changed', backlog: 0, read: 0 }])
  })
})
