import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { token, wordsOf } from './word-tokens.ts'

describe('prices, dates, addresses and other units form one token', () => {
  for (const [text, tokens] of [
    ['Kettle € 39.90 incl. VAT', ['Kettle', '€ 39.90', 'incl', '.', 'VAT']],
    ['now 1.299,00 €', ['now', '1.299,00 €']],
    ['$1,299.00!', ['$1,299.00', '!']],
    ['1 299,00 € or kr 99', ['1 299,00 €', 'or', 'kr 99']],
    ['CHF 12.–, US$ 5, 10 Euro', ['CHF 12.–', ',', 'US$ 5', ',', '10 Euro']],
    ["1'299.50 CHF", ["1'299.50 CHF"]],
    ['−5 € and -€ 3', ['−5 €', 'and', '-€ 3']],
    ['from $0.99-$1.99', ['from', '$0.99', '-', '$1.99']],
    ['1,000円', ['1,000円']],
    ['on 3 May 2026 at 14:30', ['on', '3 May 2026', 'at', '14:30']],
    ['May 3rd, 2026', ['May 3rd, 2026']],
    ['3. März 2026, 3 de mayo de 2026', ['3. März 2026', ',', '3 de mayo de 2026']],
    ['2026-05-03, 05/03/2026, 3.5.2026', ['2026-05-03', ',', '05/03/2026', ',', '3.5.2026']],
    ['2026-05-03T14:30:00Z', ['2026-05-03T14:30:00Z']],
    ['2026年5月3日', ['2026年5月3日']],
    ['10 a.m. to 5:30 pm', ['10 a.m.', 'to', '5:30 pm']],
    ['9:00–17:00', ['9:00', '–', '17:00']],
    ['Score 2:1, 1:2:3, 2 : 1', ['Score', '2:1', ',', '1:2:3', ',', '2 : 1']],
    ['Room 5: 3 beds at 12:30', ['Room', '5', ':', '3', 'beds', 'at', '12:30']],
    ['id 3f2a1b9c-0d4e-4f6a-8b1c-2d3e4f5a6b7c.', ['id', '3f2a1b9c-0d4e-4f6a-8b1c-2d3e4f5a6b7c', '.']],
    ['abcdefab-0d4e-4f6a-8b1c-2d3e4f5a6b7c', ['abcdefab-0d4e-4f6a-8b1c-2d3e4f5a6b7c']],
    ['10.11.12.13, 10.0.0.1:8080, 10.0.0.0/8', ['10.11.12.13', ',', '10.0.0.1:8080', ',', '10.0.0.0/8']],
    ['2001:db8::1 or fe80::1ff:fe23:4567:890a', ['2001:db8::1', 'or', 'fe80::1ff:fe23:4567:890a']],
    ['00:1a:2b:3c:4d:5e', ['00:1a:2b:3c:4d:5e']],
    ['call +49 30 1234567 or +1 (555) 123-4567', ['call', '+49 30 1234567', 'or', '+1 (555) 123-4567']],
    ['(555) 123-4567, 555-123-4567', ['(555) 123-4567', ',', '555-123-4567']],
    ['Tel. 030 / 1234-567, 0800 123 4567', ['Tel', '.', '030 / 1234-567', ',', '0800 123 4567']],
    ['+1 234 567 €, +3 10 20', ['+1 234 567 €', ',', '+3', '10', '20']],
    ['(5) and (12', ['(', '5', ')', 'and', '(', '12']],
    ['v1.2.3-rc.1, 1.2.3, 2.0.0+build.5', ['v1.2.3-rc.1', ',', '1.2.3', ',', '2.0.0+build.5']],
    ['10.0-beta4.', ['10.0-beta4', '.']],
    ['see https://example.org/a?b=c.', ['see', 'https://example.org/a?b=c', '.']],
    ['(www.example.org/x)', ['(', 'www.example.org/x', ')']],
    ['joe.doe+x@example.co.uk.', ['joe.doe+x@example.co.uk', '.']],
    ['up 10 % or -5%', ['up', '10 %', 'or', '-5%']],
    ['5 kg, 12GB, 20 °C, 100 km/h', ['5 kg', ',', '12GB', ',', '20 °C', ',', '100 km/h']],
    ['-4.5 and +3, 10-20', ['-4.5', 'and', '+3', ',', '10', '-', '20']],
    ['3 in stock, 3 a day', ['3', 'in', 'stock', ',', '3', 'a', 'day']],
    ['the 2nd 3D R2D2', ['the', '2nd', '3D', 'R2D2']],
    ['don’t stop', ['don’t', 'stop']],
    ['価格は', ['価', '格', 'は']],
    ['ราคา', ['ร', 'า', 'ค', 'า']],
    ['x\u0301y \u{1f600}\u0301', ['x\u0301y', '\u{1f600}\u0301']],
  ] as [string, string[]][]) {
    test(text, () => assert.deepEqual(wordsOf(text)!.words, tokens))
  }
})

test('tokens and the white space between them add up to the text', () => {
  const part = fc.constantFrom(
    '€',
    ' ',
    '1',
    '.',
    ',',
    '-',
    'May',
    'v',
    'a',
    '@',
    'http://',
    ':',
    '%',
    '円',
    '\t',
    '\u0301',
    '\ud83d',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('')
      const { words, glue, tail } = wordsOf(text)!
      assert.equal(words.map((word, i) => glue[i] + word).join('') + tail, text)
      for (const space of [...glue, tail]) assert.match(space, /^\s*$/)
    }),
    { numRuns: 1000 },
  )
})

test('finds the same tokens as the regular expression', () => {
  const part = fc.constantFrom(
    ...[' ', ' ', ' ', 'a', 'Jan', 'May', 'EUR', 'v', 'kr', 'US', '$', '€', '1', '22', '2026', '.', ',', ';', '(', ')'],
    ...[
      '"',
      '|',
      '@',
      '-',
      '+',
      '/',
      ':',
      'http://',
      'www.',
      'zł',
      'é',
      '\u0301',
      '円',
      '\n',
      '\u00a0',
      'st',
      'pm',
      '’',
    ],
    ...[
      '\t',
      '\r',
      '?',
      ']',
      '9'.repeat(39),
      '–',
      '—',
      '“',
      '”',
      '…',
      '−',
      '±',
      '日',
      '\u200d',
      '\ud83d\ude00',
      '\u202f',
    ],
    ...['x'.repeat(61), 'y'.repeat(210), '555', '1234', '030', 'abcdef12', 'fe80', '::'],
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 16 }), (parts) => {
      const text = parts.join('')
      assert.deepEqual(wordsOf(text)!.words, text.match(token) ?? [])
    }),
    { numRuns: 5000 },
  )
})

test('returns null for more tokens than allowed', () => {
  assert.equal(wordsOf('a b c', 2), null)
  assert.equal(wordsOf('a b c', 3)!.words.length, 3)
})

test('reads long texts of incomplete tokens to the end', () => {
  for (const part of [
    '1.',
    '1,',
    'a@',
    'a.',
    '1 000 ',
    '€',
    '-',
    'v1-',
    'http://',
    '1:11',
    'may 1 ',
    'a',
    '\n',
    '+1 ',
    '+1-2(3)',
    '0800 1 ',
    '(555',
    'a1:',
    '::',
    '1:',
    'abcdef12-',
    '1.1.1.',
  ]) {
    const { words, glue, tail } = wordsOf(part.repeat(100_000), 300_000)!
    // White space apart, the tokens are the whole text.
    assert.equal(words.join('').replace(/\s+/g, ''), part.replace(/\s+/g, '').repeat(100_000), part)
    assert.equal(glue.join('').trim() + tail.trim(), '', part)
  }
})
