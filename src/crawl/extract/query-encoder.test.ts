import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText } from '../../core/http/charset.ts'
import { createLegacyEncoder, createQueryEncoder } from './query-encoder.ts'

const legacy = [
  ...['ibm866', 'iso-8859-2', 'iso-8859-15', 'koi8-r', 'macintosh', 'windows-874', 'windows-1250', 'windows-1252'],
  ...['gbk', 'gb18030', 'big5', 'euc-jp', 'shift_jis', 'euc-kr'],
]

/** In the Japanese encodings these are encoded like other characters. */
const oneWay = '¥‾−'

for (const charset of legacy) {
  test(`characters encoded in ${charset} decode to the same characters`, () => {
    const encode = createLegacyEncoder(charset)
    const isJapanese = charset === 'euc-jp' || charset === 'shift_jis'
    let count = 0
    for (let codePoint = 0x80; codePoint < 0x11000; codePoint++) {
      const bytes = encode(codePoint)
      if (bytes === undefined || (isJapanese && oneWay.includes(String.fromCodePoint(codePoint)))) continue
      count++
      assert.equal(decodeText(Uint8Array.from(bytes), charset), String.fromCodePoint(codePoint))
    }
    assert.ok(count >= 60)
  })
}

test('uses the standard’s byte sequence where a character has several', () => {
  const bytes = (charset: string, character: string) => createLegacyEncoder(charset)(character.codePointAt(0)!)
  assert.deepEqual(bytes('gbk', '€'), [0x80])
  assert.deepEqual(bytes('gb18030', '€'), [0xa2, 0xe3])
  assert.deepEqual(bytes('big5', '十'), [0xa4, 0x51])
  assert.deepEqual(bytes('windows-1252', '日'), undefined)
  assert.deepEqual(bytes('euc-kr', '똠'), [0x8c, 0x63])
  assert.deepEqual(bytes('big5', 'の'), [0xc7, 0x55])
})

test('signs that Japanese encodings have no place of their own for are encoded like their counterparts', () => {
  const encode = (charset: string) => createQueryEncoder(charset)('/?q=¥‾−#¥')
  assert.equal(encode('shift_jis'), '/?q=\\~%81|#¥')
  assert.equal(encode('euc-jp'), '/?q=\\~%A1%DD#¥')
  assert.equal(createQueryEncoder('euc-jp')('?\x85'), '?%26%23133%3B')
})
