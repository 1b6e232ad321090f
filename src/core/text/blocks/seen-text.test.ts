import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { seenText, unitsAsSeen } from './seen-text.ts'

function unitsOf(text: string): number {
  const bytes = Buffer.from(text)
  return unitsAsSeen(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length)
}

describe('visible text', () => {
  test('skips normalisation only for characters that cannot change', () => {
    for (let code = 0x80; code <= 0x1ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const character = String.fromCodePoint(code)
      const units = unitsOf(`a${character}b`)
      if (units === -1) continue
      assert.equal(units, character.length + 2, code.toString(16))
      assert.equal(seenText(character), character, code.toString(16))
      assert.equal(character.normalize('NFC'), character, code.toString(16))
      // Only marks and parts of Korean syllables combine with the preceding character.
      if (code !== 0xfe0f) assert.doesNotMatch(character, /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]/u, code.toString(16))
    }
  })

  test('is normalised to NFC, except for endless combining marks', () => {
    assert.equal(seenText('e\u0301 \u1100\u1161\u11a8 \u2126'), 'é 각 Ω')
    const long = 'Ελληνικά кириллица 日本語 “quoted” … 😀 العربية'
    assert.equal(unitsOf(long), long.length)
    const marks = `a${'\u0301\u0327'.repeat(100_000)}`
    assert.equal(seenText(marks), marks)
  })

  test('drops zero-width characters, except joiners that affect the display', () => {
    assert.equal(seenText('so\u00adft \u200b wo\u2060rd\u200e\tnext\u200b \n\ufeff line'), 'soft word\tnext\nline')
    for (const joined of ['👩\u200d💻', '👨🏽\u200d🚀', '🏳️\u200d🌈', 'क्\u200dष', 'می\u200cخواهم'])
      assert.equal(seenText(joined), joined)
    assert.equal(seenText('a\u200db\u200cc'), 'abc')
  })
})
