import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { textOf } from '../meta-info/meta-info.testkit.ts'
import { xmllintSkip } from '../xmllint.testkit.ts'
import { anyAci } from './aci.testkit.ts'
import { type Aci, writeAci, writeAcis } from './aci.ts'
import { aciGrammar, readAcis } from './aci-reader.ts'

/** The papers' example, repaired to be XML. */
const fromThePapers = `<?xml version="1.0" encoding="UTF-8"?>
<aci owner="csyiazt1" extension="html" format="html" relevance="18" updatetime="97876950000" filesize="2000">
  <uri>http://www.cs.ucy.ac.cy/default.html</uri>
  <urgency urgent="1"/>
  <docbase>969890.gzip</docbase>
  <expired expir="false"/>
  <summary>This is a part of the document with keywords 1)...</summary>
</aci>
`

const plain: Aci = {
  owner: 'csyiazt1',
  extension: 'html',
  format: 'html',
  relevance: 18,
  updatedAt: 97_876_950_000,
  bytes: 2000,
  uri: 'http://www.cs.ucy.ac.cy/default.html',
  urgency: 1,
  docbase: '969890.gzip',
  isExpired: false,
  expiresAt: null,
  summary: { text: 'This is a part of the document with keywords 1)...', marks: [] },
  id: '',
  profile: '',
  document: '',
  version: '',
  kind: 'new',
  isBacklog: false,
  title: '',
  alsoAt: [],
  explanation: null,
  changes: { list: [], more: 0 },
  entry: '',
  link: '',
  channel: '',
}

describe('annotations as XML', () => {
  test('the example from the papers is read, and written unchanged', () => {
    assert.deepEqual(readAcis(fromThePapers), { acis: [plain], errors: [] })
    assert.equal(writeAci(plain), fromThePapers)
    assert.deepEqual(aciGrammar.validate(fromThePapers), [])
  })

  test('hits are marked in the summary, and terms list their positions', () => {
    const found: Aci = {
      ...plain,
      kind: 'changed',
      summary: {
        text: 'Java & coffee',
        marks: [
          [0, 4],
          [7, 13],
        ],
      },
      explanation: {
        threshold: 4,
        scorer: 'keywords',
        terms: [
          {
            key: 'java',
            weight: 4,
            worth: 4,
            count: 2,
            inTitle: 0,
            places: [{ where: 'body', start: 0, end: 4 }],
          },
        ],
        further: { terms: 0, worth: 0 },
        missing: 3,
        exclusions: ['job advert'],
        expression: null,
      },
    }
    const text = writeAci(found)
    assert.match(text, /<summary><hit>Java<\/hit> &amp; <hit>coffee<\/hit><\/summary>/)
    assert.match(
      text,
      /<term key="java" weight="4" count="2" worth="4" intitle="0"><place where="body" start="0" end="4"\/><\/term>/,
    )
    assert.deepEqual(readAcis(text), { acis: [found], errors: [] })
  })

  test('changes are written as a list, and the entry of a feed has its own link', () => {
    const found: Aci = {
      ...plain,
      ...{ kind: 'changed', entry: 'tag:a.example,2026:1', link: 'http://a.example/1', channel: 'News' },
      changes: {
        list: [
          {
            kind: 'changed',
            path: 'Shop › Kettle',
            before: '€ 39',
            after: '€ 34',
            pieces: [{ kind: 'same', text: '€ ' }],
          },
          { kind: 'added', path: '', after: '<b>' },
        ],
        more: 3,
      },
    }
    const text = writeAci(found)
    assert.deepEqual(aciGrammar.validate(text), [])
    assert.match(text, / entry="tag:a.example,2026:1" link="http:\/\/a.example\/1" channel="News">/)
    assert.match(text, /<changes more="3">\s*<change kind="changed">\s*<path>Shop › Kettle<\/path>/)
    assert.match(text, /<after>&lt;b&gt;<\/after>/)
    assert.deepEqual(readAcis(text), { acis: [found], errors: [] })
  })

  test('any annotations can be written and read back the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAci, { maxLength: 3 }), async (acis) => {
        const text = await textOf(writeAcis(acis))
        assert.deepEqual(readAcis(text), { acis, errors: [] })
        if (acis.length > 0) assert.deepEqual(readAcis(Buffer.from(writeAci(acis[0]!))).acis, acis.slice(0, 1))
      }),
      { numRuns: 200 },
    )
  })

  test('characters that XML cannot hold are replaced in attributes', () => {
    assert.match(writeAci({ ...plain, extension: 'a\u0000\ud800b' }), / extension="a\ufffd\ufffdb" /)
  })

  test('xmllint finds no errors', { skip: xmllintSkip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'erace-xml-'))
    try {
      const acis = fc.sample(anyAci, { numRuns: 200, seed: 1 })
      const files = { many: await textOf(writeAcis(acis)), one: writeAci(plain), none: await textOf(writeAcis([])) }
      for (const [name, text] of Object.entries(files)) {
        const file = join(folder, `${name}.xml`)
        writeFileSync(file, text)
        const { stderr } = await promisify(execFile)('xmllint', ['--noout', '--dtdvalid', aciGrammar.dtdPath, file])
        assert.equal(stderr, '')
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('all errors are reported together, each with its line', () => {
    const wrong = fromThePapers
      .replace('relevance="18"', 'relevance="high"')
      .replace('filesize="2000"', 'filesize="-1"')
      .replace('urgent="1"', 'urgent="1e999"')
      .replace('<docbase>', '<docbase escaped="yes">\\x')
      .replace('expir="false"', 'expir="maybe"')
    const told = readAcis(wrong).errors.map(({ line, message }) => `${line}: ${message}`)
    const expected = [
      /^2: <aci>: relevance: expected a number, not "high"/,
      /^2: <aci>: filesize: expected a non-negative whole number/,
      /^4: <urgency>: urgent: expected a number/,
      /^5: <docbase>: a backslash/,
      /^6: .*expir/,
    ]
    assert.equal(told.length, expected.length, told.join('\n'))
    for (const [index, pattern] of expected.entries()) assert.match(told[index]!, pattern)
  })

  test('input that is not an annotation is rejected', () => {
    for (const text of [
      '',
      '<aci>',
      '<urd/>',
      '<acis>x</acis>',
      '<acis><urd/></acis>',
      '<aci/>',
      '<!DOCTYPE aci []><aci/>',
    ])
      assert.equal(readAcis(text).errors.length > 0, true, text)
  })
})
