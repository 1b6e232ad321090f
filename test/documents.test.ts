import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { docxOf, epubOf, pdfOf, wordParagraph } from '../src/archive/media/documents.testkit.ts'
import { startErace } from './kit/erace.ts'
import { assertVerified, keptVersions, newFolder, runCrawl } from './site/crawl-run.ts'
import { createSite } from './site/site.ts'

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

test('PDF, DOCX, Markdown and EPUB documents are crawled like pages, with title, links and text', async () => {
  const site = await createSite({ pages: 0 })
  try {
    const origin = site.origin()
    const set = (path: string, type: string, body: string | Buffer): void =>
      site.set(path, { body, headers: { 'content-type': type } })
    set('/', 'text/html', '<title>Start</title><a href="a.pdf">a</a><a href="broken.pdf">b</a><a href="x.bin">c</a>')
    set(
      '/a.pdf',
      'application/pdf',
      pdfOf([{ lines: ['Whales are large.'], links: [`${origin}/b.docx`] }], { title: 'On whales' }),
    )
    set(
      '/b.docx',
      docx,
      docxOf(
        `${wordParagraph('Minutes', 'Heading1')}<w:p><w:hyperlink r:id="rId1"><w:r><w:t>more</w:t></w:r></w:hyperlink></w:p>`,
        {
          links: [`${origin}/c.md`],
        },
      ),
    )
    set('/c.md', 'text/plain', '# Notes\n\nSee [the book](d.epub).\n')
    set(
      '/d.epub',
      'application/epub+zip',
      epubOf({ one: `<p><a href="${origin}/last">last</a></p>` }, { title: 'A book' }),
    )
    set('/last', 'text/html', '<title>Last</title>')
    set('/broken.pdf', 'application/pdf', '%PDF-1.4 and nothing else')
    set('/x.bin', 'application/octet-stream', pdfOf([{ lines: ['not collected'] }]))
    const { data, log } = await runCrawl([`${origin}/`], { data: join(newFolder(), 'data') })
    const titles = new Map([...(await keptVersions(data))].map(([path, [first]]) => [path, first!.title]))
    assert.deepEqual(
      titles,
      new Map([
        ['/', 'Start'],
        ['/a.pdf', 'On whales'],
        ['/b.docx', 'Minutes'],
        ['/broken.pdf', ''],
        ['/c.md', 'Notes'],
        ['/d.epub', 'A book'],
        ['/last', 'Last'],
      ]),
    )
    const told = log.filter(({ msg }) => msg === 'a document has no text')
    assert.deepEqual(
      told.map(({ url, reason }) => [url, reason]),
      [[`${origin}/broken.pdf`, 'damaged']],
    )

    // The bytes of a PDF change with every export; its text doesn't.
    set(
      '/a.pdf',
      'application/pdf',
      pdfOf([{ lines: ['Whales are large.'], links: [`${origin}/b.docx`] }], { title: 'On whales', trailer: '/X 1 ' }),
    )
    const again = await runCrawl([`${origin}/`], { data })
    assert.equal(again.result.stored, 0)
    await assertVerified(data)
    const shown = await startErace(['show', `${origin}/a.pdf`, '--text', '--data', data]).ended
    assert.equal(shown.stdout, 'On whales\nWhales are large.\n', shown.stderr)
  } finally {
    await site.close()
  }
})
