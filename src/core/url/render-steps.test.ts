import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isAppError } from '../errors.ts'
import { fillIn, formatRenderSteps, maxRenderSteps, parseRenderSteps, type RenderStep } from './render-steps.ts'

test('parses render steps from a fragment and formats them canonically', () => {
  const text =
    '#!go=/login&fill=input[name=user]:={user}&fill=%23pass:={password}&press=Enter&wait=.price > b&click=#accept&wait=250&wait=quiet'
  const steps: RenderStep[] = [
    { kind: 'go', url: '/login' },
    { kind: 'fill', selector: 'input[name=user]', value: '{user}' },
    { kind: 'fill', selector: '#pass', value: '{password}' },
    { kind: 'press', key: 'Enter' },
    { kind: 'wait', selector: '.price > b' },
    { kind: 'click', selector: '#accept' },
    { kind: 'pause', ms: 250 },
    { kind: 'quiet' },
  ]
  assert.deepEqual(parseRenderSteps(text), steps)
  assert.equal(
    formatRenderSteps(steps),
    'go=/login&fill=input[name=user]:={user}&fill=%23pass:={password}&press=Enter&wait=.price%20%3E%20b&click=%23accept&wait=250&wait=quiet',
  )
})

test('parses steps given one per line, as in a form', () => {
  const text = ' go https://example.org/login\r\n\nfill input[name=user] := {user}\nclick button.primary\n'
  assert.equal(
    formatRenderSteps(parseRenderSteps(text)),
    'go=https://example.org/login&fill=input[name=user]:={user}&click=button.primary',
  )
})

test('an empty list of steps is the empty string', () => {
  assert.deepEqual(parseRenderSteps(''), [])
  assert.deepEqual(parseRenderSteps('#!'), [])
  assert.equal(formatRenderSteps([]), '')
})

test('rejects invalid steps with the reason', () => {
  const wrong: [text: string, reason: RegExp][] = [
    ['eval=alert(1)', /isn't a step/],
    ['click', /is empty/],
    ['click=%20', /is empty/],
    ['click=a%0Ab', /control characters/],
    ['click=100%', /"%"/],
    ['click=a%20>>%20text=b', />>/],
    ['click='.padEnd(600, 'a'), /longer than 500/],
    ['fill=input', /SELECTOR:=VALUE/],
    ['press=Meta+Q', /isn't a key/],
    ['press=Enter Enter', /isn't a key/],
    ['wait=30001', /longer than 30000/],
    ['wait=99999999999999999999', /longer than 30000/],
    ['go=file:///etc/passwd', /http or https/],
    ['go=javascript:alert(1)', /http or https/],
    ['go=//example.org/', /http or https/],
    ['go=https://me:secret@example.org/', /user or password/],
    [Array.from({ length: maxRenderSteps + 1 }, () => 'wait=1').join('&'), /at most 20/],
    ['&'.repeat(5000), /longer than 4000/],
  ]
  for (const [text, reason] of wrong) {
    assert.throws(
      () => parseRenderSteps(text),
      (error) => isAppError(error, 'url-invalid') && reason.test(error.message) && !error.message.includes('secret'),
      text.slice(0, 60),
    )
  }
})

test('inserts credentials only for their placeholders', () => {
  const secret = { user: 'ann', password: '$& {user}' }
  assert.equal(fillIn('{user}', secret), 'ann')
  assert.equal(fillIn('{user}:{password}', secret), 'ann:$& {user}')
  assert.equal(fillIn('{ "a": 1 }', secret), '{ "a": 1 }')
  assert.equal(fillIn('{toString}', secret), null)
  assert.equal(fillIn('{user}', null), null)
  assert.equal(fillIn('plain', null), 'plain')
})

test('canonical text parses back to the same steps and survives in a URL fragment', () => {
  const text = fc
    .string({ minLength: 1, maxLength: 60, unit: 'grapheme' })
    .filter((value) => value.trim() === value && value !== '' && !/\p{Cc}|>>/u.test(value) && value.isWellFormed())
  const selector = text.filter((value) => value !== 'quiet' && !/^\d+$/.test(value))
  const step: fc.Arbitrary<RenderStep> = fc.oneof(
    selector.map((value) => ({ kind: 'click' as const, selector: value })),
    selector.map((value) => ({ kind: 'wait' as const, selector: value })),
    fc.tuple(selector, text).map(([s, value]) => ({ kind: 'fill' as const, selector: s, value })),
    fc.integer({ min: 0, max: 30_000 }).map((ms) => ({ kind: 'pause' as const, ms })),
    fc
      .webUrl({ withFragments: true, withQueryParameters: true })
      .map((url) => ({ kind: 'go' as const, url: new URL(url).href })),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5 }), (steps) => {
      const written = formatRenderSteps(steps)
      fc.pre(written.length < 4000)
      assert.deepEqual(parseRenderSteps(written), steps)
      const url = new URL(`https://example.org/#!${written}`)
      assert.equal(url.hash, `#!${written}`)
      assert.equal(formatRenderSteps(parseRenderSteps(url.hash)), written)
    }),
  )
})
