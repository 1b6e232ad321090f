import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { xmllintSkip } from '../xmllint.testkit.ts'
import { anyDocument, textOf } from './meta-info.testkit.ts'
import { type MetaDocument, writeMetaDocument, writeMetaInfo } from './meta-info.ts'
import { metaInfoDtdPath, readMetaInfo, validateMetaInfo } from './meta-info-reader.testkit.ts'

/** The paper's example, repaired to be XML. */
const fromThePaper = `<?xml version="1.0" encoding="UTF-8"?>
<webrace:document xmlns:webrace="urn:erace:webrace">
  <webrace:url>http://www.cs.ucy.ac.cy/~epl121/</webrace:url>
  <webrace:ip>194.42.7.2</webrace:ip>
  <webrace:kbytes>1</webrace:kbytes>
  <webrace:ifmodifiedsince>989814504121</webrace:ifmodifiedsince>
  <webrace:header>HTTP/1.0 200 OK
Server: Netscape-FastTrack/2.01
Content-length: 1800
</webrace:header>
  <webrace:links>
    <webrace:link>http://www.cs.ucy.ac.cy/Computing/labs.html</webrace:link>
    <webrace:link>http://www.cs.ucy.ac.cy/</webrace:link>
  </webrace:links>
</webrace:document>
`

const plain: MetaDocument = {
  url: 'http://www.cs.ucy.ac.cy/~epl121/',
  ip: '194.42.7.2',
  kbytes: 1,
  ifModifiedSince: 989814504121,
  header: 'HTTP/1.0 200 OK\nServer: Netscape-FastTrack/2.01\nContent-length: 1800\n',
  links: ['http://www.cs.ucy.ac.cy/Computing/labs.html', 'http://www.cs.ucy.ac.cy/'],
  parent: '',
  outcome: '',
  location: '',
  firstSeen: null,
  lastChecked: null,
  status: null,
  current: null,
  versions: [],
}

describe('meta-information', () => {
  test('a document without versions looks like the example from the paper', async () => {
    assert.equal(await textOf(writeMetaDocument(plain)), fromThePaper)
    assert.deepEqual(readMetaInfo(fromThePaper), [plain])
    assert.deepEqual(validateMetaInfo(fromThePaper), [])
  })

  test('any documents produce valid XML and read back the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyDocument, { maxLength: 4 }), async (documents) => {
        const text = await textOf(writeMetaInfo(documents))
        assert.deepEqual(validateMetaInfo(text), [])
        assert.deepEqual(readMetaInfo(text), documents)
        assert.deepEqual(readMetaInfo(Buffer.from(text)), documents)
      }),
      { numRuns: 150 },
    )
  })

  test('a single document produces valid XML and reads back the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, async (document) => {
        const text = await textOf(writeMetaDocument(document))
        assert.deepEqual(validateMetaInfo(text), [])
        assert.deepEqual(readMetaInfo(text), [document])
      }),
      { numRuns: 100 },
    )
  })

  test('a title is written as it is if XML can hold it, and otherwise marked as escaped', async () => {
    const version = {
      number: 1,
      reason: 'new',
      body: 'kept',
      firstSeen: 0,
      lastSeen: 0,
      status: 200,
      bytes: 0,
    } as const
    const rest = {
      ip: '',
      type: '',
      digest: '',
      textDigest: '',
      etag: '',
      lastModified: '',
      truncated: '',
      location: '',
    }
    const titled = (title: string) => ({
      ...plain,
      versions: [{ ...version, ...rest, title, header: null, links: null }],
    })
    assert.match(await textOf(writeMetaDocument(titled('C:\\ & D'))), /<webrace:title>C:\\ &amp; D<\/webrace:title>/)
    assert.match(
      await textOf(writeMetaDocument(titled('C:\\ \u0007'))),
      /<webrace:title escaped="yes">C:\\\\ \\u0007<\/webrace:title>/,
    )
  })

  test('the validator reports all errors with their lines', () => {
    const text = fromThePaper.replace('<webrace:ip>194.42.7.2</webrace:ip>', '<webrace:port/>')
    assert.deepEqual(
      validateMetaInfo(text).map(({ line }) => line),
      [2, 4],
    )
    assert.equal(validateMetaInfo('<webrace:document>').length > 0, true)
    const root = '<webrace:metainfo xmlns:webrace="urn:erace:webrace">'
    const end = '</webrace:metainfo>'
    assert.deepEqual(validateMetaInfo(`<!DOCTYPE webrace:metainfo SYSTEM "a[>">${root}${end}`), [])
    const declares = `<!-- <!DOCTYPE a> --><!DOCTYPE webrace:metainfo [<!ELEMENT webrace:metainfo ANY>]>${root}${end}`
    assert.match(validateMetaInfo(declares)[0]!.message, /an internal subset/)
    assert.match(validateMetaInfo(Buffer.from(`\ufeff${root}${end}`, 'utf16le'))[0]!.message, /not UTF-8/)
  })

  test('xmllint finds no errors', { skip: xmllintSkip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'erace-xml-'))
    try {
      const documents = fc.sample(anyDocument, { numRuns: 200, seed: 1 })
      const files = { many: writeMetaInfo(documents), one: writeMetaDocument(plain), none: writeMetaInfo([]) }
      for (const [name, text] of Object.entries(files)) {
        const file = join(folder, `${name}.xml`)
        writeFileSync(file, await textOf(text))
        const { stderr } = await promisify(execFile)('xmllint', ['--noout', '--dtdvalid', metaInfoDtdPath, file])
        assert.equal(stderr, '')
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
