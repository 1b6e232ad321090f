import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Validates a feed with libxml2. */
export function checkFeed(format: 'atom' | 'rss', xml: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'erace-feed-'))
  try {
    const schema = join(folder, 'schema.rng')
    writeFileSync(schema, format === 'atom' ? atomSchema : rssSchema)
    const given = ['--nonet', '--noout', '--relaxng', schema, '-']
    const { status, stderr } = spawnSync('xmllint', given, { input: xml, encoding: 'utf8' })
    assert.equal(status, 0, `${stderr.slice(0, 2000)}\n${xml.slice(0, 3000)}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const open = `<grammar xmlns="http://relaxng.org/ns/structure/1.0" datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes"`
const one = (name: string, inner = '<text/>'): string => `<element name="${name}">${inner}</element>`
const uri = '<data type="anyURI"><param name="pattern">[A-Za-z][A-Za-z0-9+.\\-]*:.+</param></data>'
const attribute = (name: string, inner = '<text/>'): string => `<attribute name="${name}">${inner}</attribute>`
const maybe = (inner: string): string => `<optional>${inner}</optional>`
const link = one(
  'link',
  attribute('href', uri) + maybe(attribute('rel')) + maybe(attribute('type')) + maybe(attribute('title')),
)
/** With an offset, as RFC 3339 requires. */
const instant = '<data type="dateTime"><param name="pattern">.*(Z|[+\\-]\\d\\d:\\d\\d)</param></data>'

/** RFC 4287, appendix B, as far as needed for a feed with inline content. */
const atomSchema = `${open} ns="http://www.w3.org/2005/Atom">
<start>${one(
  'feed',
  `<interleave>
  ${one('id', uri)}${one('title')}${one('updated', instant)}
  <oneOrMore>${one('author', one('name', '<data type="string"><param name="minLength">1</param></data>'))}</oneOrMore>
  ${maybe(one('generator'))}<zeroOrMore>${link}</zeroOrMore>
  <zeroOrMore>${one(
    'entry',
    `<interleave>
    ${one('id', uri)}${one('title')}${one('updated', instant)}${maybe(one('published', instant))}
    <oneOrMore>${link}</oneOrMore><zeroOrMore>${one('category', attribute('term', '<data type="string"><param name="minLength">1</param></data>'))}</zeroOrMore>
    ${maybe(one('summary'))}${one('content', `${attribute('type', '<choice><value>html</value><value>text</value></choice>')}<text/>`)}
    </interleave>`,
  )}</zeroOrMore></interleave>`,
)}</start></grammar>`

/** RFC 822 date with a four-digit year. */
const mailTime =
  '<data type="string"><param name="pattern">(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \\d{4} \\d\\d:\\d\\d:\\d\\d GMT</param></data>'

/** The specification of RSS 2.0, with `atom:link` as the RSS Advisory Board describes it. */
const rssSchema = `${open} ns="">
<start>${one(
  'rss',
  `${attribute('version', '<value>2.0</value>')}${one(
    'channel',
    `<interleave>
  ${one('title')}${one('link', uri)}${one('description')}${maybe(one('generator'))}${maybe(one('lastBuildDate', mailTime))}
  <element name="link" ns="http://www.w3.org/2005/Atom">${attribute('rel', '<value>self</value>')}${attribute('type')}${attribute('href', uri)}</element>
  <zeroOrMore>${one(
    'item',
    `<interleave>${one('title')}${one('link', uri)}${one('description')}${one('pubDate', mailTime)}
    ${one('guid', `${attribute('isPermaLink', '<value>false</value>')}<text/>`)}<zeroOrMore>${one('category')}</zeroOrMore></interleave>`,
  )}</zeroOrMore></interleave>`,
  )}`,
)}</start></grammar>`
