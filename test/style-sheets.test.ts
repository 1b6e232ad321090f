import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { keptVersions, newFolder, runCrawl } from './site/crawl-run.ts'
import { createSite } from './site/site.ts'

test('whatever style sheets, style elements and style attributes load is crawled like links', async () => {
  const site = await createSite({ pages: 0 })
  try {
    const set = (path: string, type: string, body: string): void =>
      site.set(path, { body, headers: { 'content-type': type } })
    set(
      '/',
      'text/html',
      `<link rel=stylesheet href="/style/main.css"><style>body { background: url(/body.png) }</style>
       <p style="background: url(&quot;/p.png&quot;)"><p style="background: url(data:image/png,x)">`,
    )
    set('/style/main.css', 'text/css', '@import "more.css"; a { background: url(a.png) } /* url(never.png) */')
    set(
      '/style/more.css',
      'text/css',
      '@font-face { src: url("../fonts/f.woff2") format("woff2") } @import "main.css";',
    )
    for (const path of ['/body.png', '/p.png', '/style/a.png']) set(path, 'image/png', path)
    set('/fonts/f.woff2', 'font/woff2', 'font')
    const mime = join(newFolder(), 'mime.types')
    writeFileSync(mime, 'text/html\ntext/css css\nimage/png png\nfont/woff2 woff2\n')
    const options = ['--mime', mime]
    const { data, result } = await runCrawl([`${site.origin()}/`], { options })
    assert.deepEqual([...(await keptVersions(data)).keys()].sort(), [
      '/',
      '/body.png',
      '/fonts/f.woff2',
      '/p.png',
      '/style/a.png',
      '/style/main.css',
      '/style/more.css',
    ])
    assert.equal(result.failed, 0)

    // In a later crawl, an unchanged sheet is not read again: what it leads to is known.
    set('/style/a.png', 'image/png', 'new')
    const again = await runCrawl([`${site.origin()}/`], { options, data })
    assert.deepEqual([again.result.stored, again.result.unchanged], [1, 6])
  } finally {
    await site.close()
  }
})
