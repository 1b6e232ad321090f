import assert from 'node:assert/strict'
import test from 'node:test'
import { parseRobots } from './parse-robots.ts'
import { comparedPath, compilePattern, matchesPath } from './path-pattern.ts'

function stepsFor(pattern: string, path: string): number {
  const budget = { left: Number.MAX_SAFE_INTEGER }
  matchesPath(compilePattern(pattern), comparedPath(path), budget)
  return Number.MAX_SAFE_INTEGER - budget.left
}

test('the steps for many wildcards grow linearly with the path', () => {
  const pattern = `/${'*a'.repeat(1000)}*b`
  const short = stepsFor(pattern, `/${'a'.repeat(5000)}`)
  const long = stepsFor(pattern, `/${'a'.repeat(50_000)}`)
  assert.ok(short > 0 && short < 20_000, `${short} steps`)
  assert.ok(long < 11 * short, `${long} steps against ${short}`)
})

test('a thousand stars in a row compile to one wildcard', () => {
  const pattern = compilePattern(`/${'*'.repeat(1000)}x$`)
  assert.deepEqual(pattern.pieces, ['/', 'x'])
  assert.equal(pattern.octets, 1003)
})

test('a ten-megabyte file is read up to the limit, without the line cut there', () => {
  const rule = 'Disallow: /private/of/some/kind\n'
  const head = 'User-agent: *\nDisallow: /first\n'
  const body = Buffer.from(head + rule.repeat(Math.ceil((10 * 1024 * 1024) / rule.length)))
  const cut = parseRobots(body, { maxBytes: head.length + rule.length + 12 })
  assert.equal(cut.isAllowed('erace', '/first'), false)
  assert.equal(cut.isAllowed('erace', '/private/of/some/kind'), false)
  assert.equal(cut.isAllowed('erace', '/private'), true)
  const whole = parseRobots(body)
  assert.ok(whole.sizeBytes < 20 * 512 * 1024, `${whole.sizeBytes} bytes`)
  assert.equal(whole.isAllowed('erace', '/private/of/some/kind'), false)
})

test('a very long line is cut', () => {
  const rules = parseRobots(`User-agent: *\nDisallow: /${'a'.repeat(400_000)}`)
  assert.equal(rules.isAllowed('erace', `/${'a'.repeat(20_000)}`), false)
  assert.equal(rules.isAllowed('erace', `/${'a'.repeat(10_000)}`), true)
})

test('access is denied once the step budget of a costly file is used up', () => {
  const piece = 'a'.repeat(1000)
  const rules = parseRobots(`User-agent: *\n${`Disallow: /*${piece}b\n`.repeat(500)}Allow: /`)
  assert.equal(rules.isAllowed('erace', `/${'a'.repeat(2000)}`), false)
  assert.equal(rules.isAllowed('erace', '/short'), true)
})

test('names, rules and sitemaps beyond their limits are ignored', () => {
  const sitemaps = Array.from({ length: 10 }, (_, index) => `Sitemap: http://h/s${index}\n`).join('')
  const text = `User-agent: *\n${'Disallow: /a\n'.repeat(10)}Disallow: /b\n${sitemaps}`
  const rules = parseRobots(text, { maxRules: 10, maxSitemaps: 3 })
  assert.equal(rules.isAllowed('erace', '/a'), false)
  assert.equal(rules.isAllowed('erace', '/b'), true)
  assert.equal(rules.sitemaps.length, 3)
  for (const [length, isIgnored] of [
    [200, false],
    [201, true],
    [10_000, true],
  ] as const) {
    const name = 'n'.repeat(length)
    assert.equal(parseRobots(`User-agent: ${name}\nDisallow: /`).isAllowed(name, '/'), isIgnored, `${length}`)
  }
})

test('a UTF-16 file is read up to the limit, without the line cut there', () => {
  const body = Buffer.from(
    `\ufeffUser-agent: *\nDisallow: /first\n${'Disallow: /private/part\n'.repeat(100_000)}`,
    'utf16le',
  )
  const cut = parseRobots(body, { maxBytes: 101 })
  assert.equal(cut.isAllowed('erace', '/first'), false)
  assert.equal(cut.isAllowed('erace', '/private/part'), true)
  assert.ok(parseRobots(body).sizeBytes < 20 * 512 * 1024)
})

test('random bytes cause no error', () => {
  let seed = 7
  for (let round = 0; round < 200; round++) {
    const bytes = Buffer.alloc(500)
    for (let i = 0; i < bytes.length; i++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      bytes[i] = seed >> 16
    }
    const rules = parseRobots(Buffer.concat([Buffer.from('User-agent: *\nDisallow: /'), bytes]))
    assert.equal(typeof rules.isAllowed('erace', `/${bytes.toString('latin1')}`), 'boolean')
  }
})
