import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileWith, sourceAt } from '../../../services/watching/watching.testkit.ts'
import { createKeptArchive, eve } from '../archive/archive.testkit.ts'

describe('export', () => {
  test('lists feeds so that they can be read by feed readers, and pages as links', async () => {
    const rss = '<rss version="2.0"><channel><title>News</title></channel></rss>'
    const feeds = {
      '/feed': { body: rss, headers: { 'content-type': 'application/rss+xml' } },
      '/xml': { body: rss, headers: { 'content-type': 'text/xml; charset=utf-8' } },
    }
    const { erace, put: store, visit, url, close } = await createKeptArchive(feeds)
    try {
      const uris = ['/', '/feed', '/xml', '/not-fetched'].map((path) => url(path))
      await store(
        profileWith(
          'p',
          eve,
          uris.map((uri) => sourceAt(uri)),
        ),
      )
      await visit('p')
      const { body } = await erace.as(eve).get('/sources/export')
      assert.deepEqual(
        [...body.matchAll(/type="(\w+)" (\w+)="([^"]*)"/g)].map(([, ...found]) => found),
        [
          ['link', 'url', uris[0]],
          ['rss', 'xmlUrl', uris[1]],
          ['rss', 'xmlUrl', uris[2]],
          ['link', 'url', uris[3]],
        ],
      )
    } finally {
      await close()
    }
  })
})
