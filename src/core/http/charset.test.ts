import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  decodeText,
  detectCharset,
  htmlBodyDeclaredEncoding,
  httpContentTypeEncoding,
  resolveEncoding,
} from './charset.ts'

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

describe('charset detection', () => {
  test('prefers a byte order mark to the header, and the header to a meta element', () => {
    const meta = '<meta charset=koi8-r>'
    const contentType = 'text/html; charset=iso-8859-2'
    assert.deepEqual(detectCharset({ bytes: latin1(`\xef\xbb\xbf${meta}`), contentType }), {
      charset: 'utf-8',
      source: 'bom',
    })
    assert.deepEqual(detectCharset({ bytes: latin1(meta), contentType }), { charset: 'iso-8859-2', source: 'header' })
    assert.deepEqual(detectCharset({ bytes: latin1(meta), contentType: 'text/html' }), {
      charset: 'koi8-r',
      source: 'meta',
    })
    assert.deepEqual(detectCharset({ bytes: latin1('\xff\xfeh\0'), contentType }), {
      charset: 'utf-16le',
      source: 'bom',
    })
  })

  test('ignores unknown labels', () => {
    const bytes = latin1('<meta charset=no-such-thing><meta charset=gbk>')
    assert.deepEqual(detectCharset({ bytes, contentType: 'text/html; charset=x-made-up' }), {
      charset: 'gbk',
      source: 'meta',
    })
    for (const label of ['', ' ', 'utf-7', 'utf-32', 'hz-gb-2312', '\0', 'x'.repeat(100_000), '__proto__']) {
      assert.equal(resolveEncoding(label), undefined)
    }
    assert.equal(resolveEncoding(' LATIN1\n'), 'windows-1252')
  })

  test('detects valid UTF-8 without a declaration, even if it is truncated', () => {
    assert.deepEqual(detectCharset({ bytes: Buffer.from('grün 日本') }), { charset: 'utf-8', source: 'detected' })
    assert.deepEqual(detectCharset({ bytes: Buffer.from('日本').subarray(0, 5) }), {
      charset: 'utf-8',
      source: 'detected',
    })
    assert.deepEqual(detectCharset({ bytes: Buffer.alloc(0) }), { charset: 'utf-8', source: 'detected' })
  })

  test('uses a late declaration if the text is not valid UTF-8', () => {
    const late = (gap: number, text: string): Buffer => latin1(`<!--${'x'.repeat(gap)}--><meta charset=koi8-r>${text}`)
    assert.deepEqual(detectCharset({ bytes: late(20_000, '\xf0\xd2\xc9') }), { charset: 'koi8-r', source: 'meta' })
    assert.deepEqual(detectCharset({ bytes: late(20_000, 'plain') }), { charset: 'utf-8', source: 'detected' })
    assert.notEqual(detectCharset({ bytes: late(100_000, '\xf0\xd2\xc9') }).source, 'meta')
    const whole = Buffer.concat([latin1('\xff'.repeat(9)), late(20_000, '\xf0\xd2')])
    assert.equal(
      detectCharset({ bytes: new Uint8Array(whole.buffer, whole.byteOffset + 9, whole.length - 9) }).charset,
      'koi8-r',
    )
  })

  test('guesses the charset of other undeclared text', () => {
    const russian = 'Правительство сообщило, что новые правила вступят в силу с начала следующего года. '
    const windows1251 = Uint8Array.from(russian.repeat(5), (character) => {
      const code = character.charCodeAt(0)
      return code >= 0x410 && code < 0x450 ? code - 0x410 + 0xc0 : code
    })
    assert.deepEqual(detectCharset({ bytes: windows1251 }), { charset: 'windows-1251', source: 'detected' })
  })

  test('falls back to windows-1252', () => {
    assert.deepEqual(detectCharset({ bytes: latin1('<a title="\xe9">x') }), {
      charset: 'windows-1252',
      source: 'default',
    })
  })
})

describe('charset declaration in a page', () => {
  const declared: [string, string | undefined][] = [
    ['<meta charset="utf-8">', 'utf-8'],
    ['<META CHARSET=latin1>', 'windows-1252'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">', 'shift_jis'],
    ['<meta content="text/html; charset=\'euc-kr\'" http-equiv=content-type>', 'euc-kr'],
    ['<meta content="text/html; charset=euc-kr">', undefined],
    ['<meta name=x content="charset=big5"><meta charset=gbk>', 'gbk'],
    ['<meta charset=utf-16>', 'utf-8'],
    ['<meta charset=x-user-defined>', 'windows-1252'],
    ['<!-- <meta charset=gbk> --><meta charset=big5>', 'big5'],
    ['<!--><meta charset=gbk>', 'gbk'],
    ['<p title="<meta charset=gbk>"><meta charset=big5>', 'big5'],
    ['</p title="<meta charset=gbk>"><meta charset=big5>', 'big5'],
    ['<metacharset=gbk>', undefined],
    ['<meta charset="gbk', undefined],
    ['<meta charset=gbk charset=big5>', 'gbk'],
    ['<?xml version="1.0" encoding="koi8-r"?><html>', 'koi8-r'],
    ["<?xml version='1.0' encoding='iso-8859-5'?><meta charset=gbk>", 'gbk'],
    ['<\0?\0x\0m\0l\0', 'utf-16le'],
    [`<p>${' '.repeat(3000)}<meta charset=gbk>`, 'gbk'],
    [`<p>${' '.repeat(5000)}<meta charset=gbk>`, undefined],
    [`<meta ${'a='.repeat(3000)}`, undefined],
    ['', undefined],
  ]
  for (const [page, encoding] of declared) {
    test(`in ${JSON.stringify(page.slice(0, 80))} is ${encoding}`, () => {
      assert.equal(htmlBodyDeclaredEncoding(latin1(page)), encoding)
    })
  }
})

test('finds the charset parameter of a Content-Type among quoted text and repetitions', () => {
  assert.equal(httpContentTypeEncoding('text/html; title="; charset=gbk"; charset="big5"'), 'big5')
  assert.equal(httpContentTypeEncoding('text/html;CHARSET=UTF8'), 'utf-8')
  assert.equal(httpContentTypeEncoding('text/html; charset=nonsense; charset=gbk'), 'gbk')
  assert.equal(httpContentTypeEncoding('text/html'), undefined)
  assert.equal(httpContentTypeEncoding(`text/html; charset="${'\\"'.repeat(100_000)}`), undefined)
})

test('EUC-KR labels also decode the Korean code page of Windows', () => {
  assert.equal(decodeText(latin1('\x8cc\xb9\xe6 \x94\xee\xa2\xe6'), 'ks_c_5601-1987'), '똠방 뷁€')
  // The last of the added syllables, and the place behind it.
  assert.equal(decodeText(latin1('\xc6R\xc6S'), 'euc-kr'), '힣\uFFFDS')
  assert.equal(decodeText(latin1('a\xb0<b>\x80\xff\xc9\xa1\xb0'), 'euc-kr'), 'a\uFFFD<b>\uFFFD\uFFFD\uFFFD\uFFFD')
})

test('Big5 includes kana, Cyrillic letters and numerals', () => {
  const bytes = latin1('\xa4\x40\xc6\xa1\xc6\xe7\xc7\x55\xc7\x7b\xc7\xf3\xc8\x75\xc8\xd2')
  assert.equal(decodeText(bytes, 'big5'), '一①ぁのァАя№')
})

test('decoding never fails and drops the byte order mark', () => {
  assert.equal(decodeText(latin1('\xef\xbb\xbfhi'), 'utf-8'), 'hi')
  assert.equal(decodeText(latin1('\xfe\xff\0h\0i'), 'utf-16be'), 'hi')
  assert.equal(decodeText(latin1('\x80'), 'no-such-thing'), '€')
  assert.equal(decodeText(latin1('a\xffb'), 'utf-8'), 'a\uFFFDb')
})
