import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { docxOf, epubOf, odtOf, pdfOf, zipOf } from './documents.testkit.ts'
import { createMediaReader, type MediaOptions, type MediaReader, type MediaText } from './media-reader.ts'
import { mayConvert, mediaKindOf } from './media-type.ts'

const entry = new URL('./unruly-thread.testkit.ts', import.meta.url)

async function withReader(options: MediaOptions, work: (reader: MediaReader) => Promise<void>): Promise<void> {
  const reader = createMediaReader({ entry, ...options })
  try {
    await work(reader)
  } finally {
    await reader.close()
  }
}

const documentOf = (text: string, url = 'http://a.example/') => ({
  body: Buffer.from(text),
  contentType: 'application/pdf',
  url,
})
const shown = (text: MediaText): string =>
  text.kind === 'converted' ? text.body.toString() : text.kind === 'failed' ? text.reason : ''

describe('reading documents in a thread', () => {
  test('uses one thread for several documents, one after the other', () =>
    withReader({}, async (reader) => {
      const texts = await Promise.all(['a', 'b', 'c'].map((text) => reader.read(documentOf(text))))
      assert.deepEqual(
        texts.map(shown),
        ['a', 'b', 'c'].map((text, at) => `${text} as document ${at + 1} of its thread`),
      )
    }))

  test('stops a document that takes too long, and reads the next', () =>
    withReader({ timeLimitMs: 500 }, async (reader) => {
      const texts = await Promise.all(['a', 'loop', 'b', 'wait', 'c'].map((text) => reader.read(documentOf(text))))
      assert.deepEqual(texts.map(shown), [
        'a as document 1 of its thread',
        'too-long',
        'b as document 1 of its thread',
        'too-long',
        'c as document 1 of its thread',
      ])
    }))

  test('stops a document that uses too much memory, on or off the heap', () =>
    withReader({ maxMemoryBytes: 48 * 1024 * 1024 }, async (reader) => {
      for (const text of ['memory', 'objects'])
        assert.equal(shown(await reader.read(documentOf(text))), 'too-large', text)
      assert.equal(shown(await reader.read(documentOf('a'))), 'a as document 1 of its thread')
    }))

  test('reports a document that exits or throws asynchronously as damaged, and reads the next', () =>
    withReader({}, async (reader) => {
      for (const text of ['exit', 'throw later']) {
        assert.equal(shown(await reader.read(documentOf(text))), 'damaged', text)
        assert.equal(shown(await reader.read(documentOf(`after ${text}`))), `after ${text} as document 1 of its thread`)
      }
    }))

  test('reports the kind of fault of a document', () =>
    withReader({ maxBodyBytes: 10 }, async (reader) => {
      assert.equal(shown(await reader.read(documentOf('deep'))), 'too-deep')
      assert.equal(shown(await reader.read(documentOf('locked'))), 'encrypted')
      assert.deepEqual(await reader.read(documentOf('throw')), {
        kind: 'failed',
        reason: 'damaged',
        message: 'a fault',
      })
      assert.equal(shown(await reader.read(documentOf('x'.repeat(11)))), 'too-large')
    }))

  test('caches results and failures up to a size limit', () =>
    withReader({ cacheBytes: 100 }, async (reader) => {
      const first = shown(await reader.read(documentOf('a')))
      assert.equal(shown(await reader.read(documentOf('locked'))), 'encrypted')
      assert.equal(shown(await reader.read(documentOf('locked'))), 'encrypted')
      assert.equal(shown(await reader.read(documentOf('a'))), first)
      assert.equal(shown(await reader.read(documentOf('b'))), 'b as document 3 of its thread')
      await reader.read(documentOf('x'.repeat(80)))
      assert.equal(shown(await reader.read(documentOf('a'))), 'a as document 5 of its thread')
    }))

  test('reads a document once for concurrent requests', () =>
    withReader({}, async (reader) => {
      const texts = await Promise.all([reader.read(documentOf('a')), reader.read(documentOf('a'))])
      assert.equal(texts[0], texts[1])
    }))

  test('rejects documents beyond the maximum queue length as too busy', () =>
    withReader({ maxWaiting: 2 }, async (reader) => {
      const texts = await Promise.all(['a', 'b', 'c'].map((text) => reader.read(documentOf(text))))
      assert.deepEqual(
        texts.map(({ kind }) => kind),
        ['converted', 'converted', 'failed'],
      )
      assert.equal(shown(texts[2]!), 'too-busy')
      assert.equal(shown(await reader.read(documentOf('c'))), 'c as document 3 of its thread')
    }))

  test('ends an idle thread, and starts another when needed', () =>
    withReader({ idleMs: 1 }, async (reader) => {
      await reader.read(documentOf('a'))
      // Timers fire in the order of their times.
      await new Promise((resolve) => setTimeout(resolve, 2))
      assert.equal(shown(await reader.read(documentOf('b'))), 'b as document 1 of its thread')
    }))
})

describe('kinds of documents', () => {
  const bytes = Buffer.from('text')
  const kindOf = (contentType: string | undefined, { url = 'http://a.example/', body = bytes as Buffer } = {}) =>
    mediaKindOf({ body, contentType, url })

  test('are recognised by their type', () => {
    assert.equal(kindOf('Application/PDF; qs=0.001'), 'pdf')
    assert.equal(kindOf('text/csv; header=present'), 'csv')
    for (const type of [
      'text/html',
      'application/xhtml+xml',
      'text/xml',
      'application/json',
      'text/plain',
      'image/png',
    ])
      assert.equal(kindOf(type, { body: pdfOf([]) }), null, type)
  })

  test('are recognised by their bytes if the type is generic', () => {
    const bodies = { pdf: pdfOf([]), docx: docxOf(''), odt: odtOf(''), epub: epubOf({}) }
    for (const type of ['application/octet-stream', 'application/zip', undefined]) {
      for (const [kind, body] of Object.entries(bodies)) assert.equal(kindOf(type, { body }), kind)
      for (const body of [bytes, Buffer.alloc(0), zipOf({ 'a.txt': 'x' })]) assert.equal(kindOf(type, { body }), null)
    }
  })

  test('are recognised by their file names if they are sent as plain text', () => {
    for (const [name, kind] of [
      ['README.md', 'markdown'],
      ['a.CSV?x=1', 'csv'],
      ['a.tsv#b', 'csv'],
      ['a.md.txt', null],
      ['md', null],
    ] as const) {
      assert.equal(kindOf('text/plain; charset=utf-8', { url: `http://a.example/${name}` }), kind, name)
    }
    assert.equal(kindOf('text/html', { url: 'http://a.example/a.md' }), null)
  })

  test('that may be convertible are known from their type alone', () => {
    for (const type of ['', 'application/pdf', 'application/octet-stream', 'message/rfc822'])
      assert.ok(mayConvert(type))
    for (const type of ['image/png', 'text/html', 'font/woff']) assert.ok(!mayConvert(type))
  })

  test('that need no conversion need no thread', async () => {
    const reader = createMediaReader({ entry: new URL('./missing.ts', import.meta.url) })
    assert.deepEqual(await reader.read({ body: bytes, contentType: 'text/html', url: '' }), { kind: 'none' })
    assert.equal(reader.converts({ body: bytes, contentType: 'text/html', url: '' }), false)
    await reader.close()
  })
})
