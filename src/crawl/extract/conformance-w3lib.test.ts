import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  decodeText,
  detectCharset,
  htmlBodyDeclaredEncoding,
  httpContentTypeEncoding,
  resolveEncoding,
} from '../../core/http/charset.ts'
import { baseUrl, metaRefresh } from './page.testkit.ts'

const folder = process.env.ERACE_CONFORMANCE
const skip = folder === undefined && !process.env.CI ? 'ERACE_CONFORMANCE is not set' : false

type Bytes = { $base64: string }
type Case = { test: string; args: (string | null | Bytes)[]; kwargs: Record<string, unknown>; result: unknown }

function cases(name: string): Case[] {
  return skip ? [] : JSON.parse(readFileSync(join(folder ?? '', 'w3lib', `${name}.json`), 'utf8'))
}

function bytesOf(value: Case['args'][number] | undefined): Buffer {
  if (typeof value === 'string') return Buffer.from(value)
  return value ? Buffer.from(value.$base64, 'base64') : Buffer.alloc(0)
}

/** The encoding of a case given as text: UTF-8, unless the case names another. */
function encodingOf({ args, kwargs }: Case): string {
  return String(kwargs.encoding ?? args[2] ?? 'utf-8')
}

/** Python's names of encodings that are not labels of the Encoding standard. */
const pythonNames: Record<string, string> = {
  'utf-16-be': 'utf-16be',
  'utf-16-le': 'utf-16le',
  big5hkscs: 'big5',
  'iso8859-4': 'iso-8859-4',
  latin1: 'windows-1252',
}

/** The cases read GBK as its superset GB18030; both decode alike. */
function encodingName(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const known = pythonNames[name] ?? resolveEncoding(name) ?? name
  return known === 'gbk' ? 'gb18030' : known
}

function suite(name: string, exceptions: Record<number, string>, check: (item: Case) => void): void {
  describe(`w3lib ${name}`, { skip }, () => {
    cases(name).forEach((item, index) => {
      if (index in exceptions) return
      test(`case ${index} (${item.test})`, () => check(item))
    })
  })
}

suite('get_meta_refresh', {
  2: 'a tag that the page ends in is no tag',
  19: 'noscript is markup: no script runs here',
  22: 'the text of a script is never markup',
}, (item) => {
  const found = metaRefresh(bytesOf(item.args[0]), String(item.args[1]), encodingOf(item))
  const [seconds, url] = item.result as [number | null, string | null]
  assert.deepEqual(found, url === null ? null : { seconds, url })
})

suite('get_base_url', {
  8: 'noscript is markup: no script runs here',
  11: 'noscript is markup: no script runs here',
}, (item) => {
  assert.equal(baseUrl(bytesOf(item.args[0]), bytesOf(item.args[1]).toString(), encodingOf(item)), item.result)
})

const notInStandard = 'the standard’s prescan does not read it'

suite('html_body_declared_encoding', {
  6: notInStandard,
  11: 'the standard’s prescan does not stop at body',
  12: notInStandard,
  13: notInStandard,
  23: notInStandard,
  27: 'the standard’s prescan does not stop at body',
  28: notInStandard,
}, (item) => {
  const found = htmlBodyDeclaredEncoding(bytesOf(item.args[0]))
  assert.equal(encodingName(found), encodingName(item.result))
})

const lenientQuotes = 'MIME parsing by the standard forgives what follows a quoted value, or its missing end'

suite('http_content_type_encoding', { 9: lenientQuotes, 15: lenientQuotes, 16: lenientQuotes }, (item) => {
  const found = httpContentTypeEncoding(String(item.args[0]))
  assert.equal(encodingName(found), encodingName(item.result))
})

const noUtf32 = 'the Encoding standard has no UTF-32'

suite('html_to_unicode', {
  ...{ 21: noUtf32, 22: noUtf32, 23: noUtf32, 24: noUtf32, 26: noUtf32 },
  25: 'UTF-16 without a mark is little endian by the Encoding standard',
  27: notInStandard,
  31: 'the default for plain ASCII is UTF-8',
}, (item) => {
  const bytes = bytesOf(item.args[1])
  const { charset } = detectCharset({ bytes, contentType: item.args[0] as string | null })
  const [name, text] = item.result as [string, string]
  assert.equal(encodingName(charset), encodingName(name))
  assert.equal(decodeText(bytes, charset), text)
})
