import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseHostRules } from './host-rules.ts'
import { createNormaliser, type NormaliserOptions } from './normaliser.ts'

function keyOf(url: string, options?: NormaliserOptions): string {
  const result = createNormaliser(options)(url)
  assert.ok(result.kind === 'ok', `${url} was rejected`)
  return result.key
}

function reasonOf(url: string, options?: NormaliserOptions): string {
  const result = createNormaliser(options)(url)
  return result.kind === 'ok' ? 'ok' : result.reason
}

describe('URL key', () => {
  it('equals a URL that is already normalised', () => {
    for (const url of [
      'http://example.org/',
      'https://www.example.org/a/b.html?id=3&page=2',
      'http://example.org:8080/~user/x(1).html',
      'http://127.0.0.1:8080/x',
      'http://[::1]/x',
      'http://xn--bcher-kva.example/x',
      'http://example.org/A/B',
    ]) {
      const result = createNormaliser()(url)
      assert.deepEqual(result, { kind: 'ok', url, key: url })
    }
  })

  it('normalises scheme, host, port, dot segments and the empty path', () => {
    assert.equal(keyOf('HTTP://Example.ORG'), 'http://example.org/')
    assert.equal(keyOf('https://example.org:443/a/./b/../c'), 'https://example.org/a/c')
    assert.equal(keyOf('http://example.org:80/'), 'http://example.org/')
    assert.equal(keyOf('http://example.org./x'), 'http://example.org/x')
    assert.equal(keyOf('http://0x7f.1/'), 'http://127.0.0.1/')
    assert.equal(keyOf('http://Bücher.example/'), 'http://xn--bcher-kva.example/')
  })

  it('collapses slashes in the path only, while the fetched URL keeps them', () => {
    const result = createNormaliser()('http://example.org//a///b//?u=http://x//y')
    assert.deepEqual(result, {
      kind: 'ok',
      url: 'http://example.org//a///b//?u=http://x//y',
      key: 'http://example.org/a/b/?u=http://x//y',
    })
  })

  it('normalises percent-encoding', () => {
    assert.equal(keyOf('http://example.org/%7euser/%c3%a9%2F%41'), 'http://example.org/~user/%C3%A9%2FA')
    assert.equal(keyOf('http://example.org/?a[]=1|2'), keyOf('http://example.org/?a%5B%5d=1%7c2'))
    assert.equal(keyOf('http://example.org/100%'), 'http://example.org/100%25')
    assert.equal(keyOf('http://example.org/%%32e'), 'http://example.org/%252e')
    assert.notEqual(keyOf('http://example.org/a%2Fb'), keyOf('http://example.org/a/b'))
  })

  it('omits fragment, credentials, an empty query and empty parameters', () => {
    assert.deepEqual(createNormaliser()('http://user:secret@example.org/a?#b'), {
      kind: 'ok',
      url: 'http://example.org/a?',
      key: 'http://example.org/a',
    })
    assert.equal(keyOf('http://example.org/?&a=1&&b=2&'), 'http://example.org/?a=1&b=2')
  })

  it('omits tracking parameters by whole name, ignoring case', () => {
    assert.equal(keyOf('http://example.org/?utm_source=x&id=1&GCLID=2&fbclid'), 'http://example.org/?id=1')
    assert.equal(keyOf('http://example.org/?utm_source=x'), 'http://example.org/')
    const similar = 'http://example.org/?gclidx=1&my_utm_source=2&x=utm_source&_gap=1'
    assert.equal(keyOf(similar), similar)
    assert.equal(
      keyOf('http://example.org/?a=1&ref.x*=2', { trackingParameters: ['ref.x*'] }),
      'http://example.org/?a=1',
    )
    const kept = 'http://example.org/?utm_source=x'
    assert.equal(keyOf(kept, { trackingParameters: [] }), kept)
  })

  it('omits session IDs only if they are certain', () => {
    assert.equal(keyOf('http://example.org/a;jsessionid=0A1B?x=1'), 'http://example.org/a?x=1')
    assert.equal(keyOf('http://example.org/;JSESSIONID=0A1B'), 'http://example.org/')
    assert.equal(keyOf('http://example.org/a;v=1;jsessionid=0A/b'), 'http://example.org/a;v=1/b')
    assert.equal(keyOf('http://example.org/?PHPSESSID=abc&x=1'), 'http://example.org/?x=1')
    assert.equal(keyOf('http://example.org/?sid=0123456789abcdef0123456789abcdef'), 'http://example.org/')
    for (const kept of ['http://example.org/?sid=42', 'http://example.org/?sid=news', 'http://example.org/a;v=2']) {
      assert.equal(keyOf(kept), kept)
    }
    const session = 'http://example.org/?PHPSESSID=abc'
    assert.equal(keyOf(session, { dropSessionIds: false }), session)
  })

  it('sorts parameters and drops index names only if configured', () => {
    const url = 'http://example.org/index.html?b=2&a=1&b=1'
    assert.equal(keyOf(url), url)
    assert.equal(keyOf(url, { sortParameters: true }), 'http://example.org/index.html?a=1&b=2&b=1')
    assert.equal(keyOf(url, { dropIndexNames: true }), 'http://example.org/?b=2&a=1&b=1')
    assert.equal(keyOf('http://example.org/a/Default.aspx', { dropIndexNames: true }), 'http://example.org/a/')
    assert.equal(keyOf('http://example.org/a/index', { dropIndexNames: true }), 'http://example.org/a/index')
  })

  it('can lower-case its path, or keep repeated slashes, if configured', () => {
    const url = 'http://example.org/A//%C3%89%41?Q=A'
    assert.equal(keyOf(url), 'http://example.org/A/%C3%89A?Q=A')
    assert.equal(keyOf(url, { lowercasePaths: true }), 'http://example.org/a/%C3%89a?Q=A')
    assert.equal(keyOf(url, { collapseSlashes: false }), 'http://example.org/A//%C3%89A?Q=A')
    const all = { lowercasePaths: true, dropIndexNames: true }
    assert.equal(keyOf('http://example.org/Docs//INDEX.HTML', all), 'http://example.org/docs/')
  })

  it('applies host rules to its host, while the fetched URL keeps the original', () => {
    const normalise = createNormaliser({
      hostRules: parseHostRules('startsWith(www.)=\nsynonym(127.0.0.1)=example.org'),
    })
    for (const url of ['http://www.example.org/x', 'http://www.example.org/x', 'http://example.org/x']) {
      assert.deepEqual(normalise(url), { kind: 'ok', url, key: 'http://example.org/x' })
    }
    assert.deepEqual(normalise('http://127.0.0.1:81/x'), {
      kind: 'ok',
      url: 'http://127.0.0.1:81/x',
      key: 'http://example.org:81/x',
    })
    assert.deepEqual(normalise('http://127.0.0.1:81/y?z'), {
      kind: 'ok',
      url: 'http://127.0.0.1:81/y?z',
      key: 'http://example.org:81/y?z',
    })
  })
})

describe('normaliser', () => {
  it('rejects other schemes, long URLs and text that is not a URL', () => {
    for (const url of ['mailto:a@b.example', 'ftp://example.org/', 'javascript:void(0)', `data:,${'x'.repeat(5000)}`]) {
      assert.equal(reasonOf(url), 'scheme', url.slice(0, 40))
    }
    for (const url of ['', 'x', '/a', 'http://', 'http:///', 'http://a b/', 'http://example.org:99999/']) {
      assert.equal(reasonOf(url), 'invalid', url)
    }
    assert.equal(reasonOf(`http://example.org/${'x'.repeat(100_000)}`), 'length')
    assert.equal(reasonOf(`http://example.org/${'é'.repeat(1000)}`), 'length')
    assert.equal(reasonOf(`http://example.org/#${'x'.repeat(100_000)}`), 'ok')
    assert.equal(reasonOf('http://example.org/1234567', { maxUrlLength: 26 }), 'ok')
    assert.equal(reasonOf('http://example.org/12345678', { maxUrlLength: 26 }), 'length')
  })

  const pieces = [
    ...[
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%',
      '%3',
      '%41',
      '%7e',
      ';jsessionid=1',
      ';',
      '?',
      '&',
      'a',
      'B=1',
      'utm_x=1',
      'sid=',
    ],
    ...[
      '0123456789abcdef',
      '=',
      '[',
      '|',
      "'",
      '^',
      'é',
      ' ',
      ':',
      '@',
      'index.html',
      '#',
      '\\',
      '~',
      '+',
      'phpsessid',
    ],
  ]
  const rest = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))
  const authority = fc.constantFrom(
    'http://example.org',
    'https://u:p@Example.org:443',
    'http://127.0.0.1:80',
    'http://a.b.',
  )
  const url = fc.tuple(authority, rest).map(([start, end]) => `${start}/${end}`)
  const options = fc.record({
    dropSessionIds: fc.boolean(),
    sortParameters: fc.boolean(),
    dropIndexNames: fc.boolean(),
    lowercasePaths: fc.boolean(),
    collapseSlashes: fc.boolean(),
  })

  it('returns the URL as the parser serialises it, without fragment and credentials', () => {
    fc.assert(
      fc.property(url, options, (text, chosen) => {
        const want = new URL(text)
        want.hash = ''
        want.username = ''
        want.password = ''
        const got = createNormaliser(chosen)(text)
        assert.ok(got.kind === 'ok')
        assert.equal(got.url, want.href)
      }),
      { numRuns: 2000 },
    )
  })

  it('returns ASCII keys that are URLs and their own keys, independent of earlier calls', () => {
    fc.assert(
      fc.property(url, options, (text, chosen) => {
        const normalise = createNormaliser(chosen)
        const first = normalise(text)
        assert.ok(first.kind === 'ok')
        assert.match(first.key, /^[!-~]*$/)
        const again = normalise(first.key)
        assert.deepEqual(again, { kind: 'ok', url: first.key, key: first.key })
        assert.deepEqual(normalise(text), first)
        assert.deepEqual(createNormaliser(chosen)(first.url), first)
      }),
      { numRuns: 2000 },
    )
  })
})

type W3libInput = string | { $base64: string } | string[]
type W3libCase = { args: W3libInput[]; kwargs: Record<string, unknown>; result: string }

const folder = process.env.ERACE_CONFORMANCE
const file = folder === undefined ? '' : join(folder, 'w3lib', 'canonicalize_url.json')
const skip = existsSync(file) || process.env.CI !== undefined ? false : 'ERACE_CONFORMANCE names no folder with w3lib'

/** Why w3lib's policy differs from ours; null if the results must agree. */
function otherPolicy(input: string, { kwargs, result }: W3libCase): string | null {
  if (Object.keys(kwargs).length > 0) return 'options that ours has not'
  if (!/^\s*https?:/i.test(input)) return 'not an absolute http URL'
  if (/\/\/[^/]*@/.test(input)) return 'credentials are kept by w3lib'
  const query = input.split('#', 1)[0]!.split('?').slice(1).join('?')
  if (/%20|\+| /.test(query)) return 'a space is a plus in the query'
  if (/(^|&)[^=&]+(&|$)/.test(query)) return 'a name without value gets an equals sign'
  const reserved = /[!$'()*,/:;?@]/
  if (reserved.test(query) || reserved.test(decodeQuietly(query))) return 'reserved characters of the query are encoded'
  const path = new URL(input).pathname
  if (/%(?:2[146789abc]|3[abd]|40)/i.test(path)) return 'reserved characters of the path are decoded'
  const names = query.split('&').map((parameter) => parameter.split('=', 1)[0])
  if (new Set(names).size < names.length) return 'repeated parameters are sorted by value'
  if (/[^ -~]/.test(result)) return 'a host that no DNS can hold is left in its script'
  return null
}

/** Reads a string, bytes, or the six parts of Python's `urlparse`. */
function readInput(input: W3libInput): string {
  if (typeof input === 'string') return input
  if (!Array.isArray(input)) return Buffer.from(input.$base64, 'base64').toString('utf8')
  const [scheme, host, path, params, query, fragment] = input
  return `${scheme}://${host}${path}${params && `;${params}`}${query && `?${query}`}${fragment && `#${fragment}`}`
}

function decodeQuietly(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

describe('w3lib', { skip }, () => {
  it('gives the same canonical URLs where its policy matches ours', (context) => {
    const normalise = createNormaliser({ sortParameters: true, trackingParameters: [], dropSessionIds: false })
    const cases = JSON.parse(readFileSync(file, 'utf8')) as W3libCase[]
    const wrong: string[] = []
    const others: Record<string, number> = {}
    for (const entry of cases) {
      const input = readInput(entry.args[0]!)
      const policy = otherPolicy(input, entry)
      if (policy !== null) {
        others[policy] = (others[policy] ?? 0) + 1
        continue
      }
      const got = normalise(input)
      const key = got.kind === 'ok' ? got.key : got.reason
      if (key !== entry.result) wrong.push(`${JSON.stringify(input)}: ${key}, not ${JSON.stringify(entry.result)}`)
    }
    const other = Object.values(others).reduce((sum, count) => sum + count, 0)
    context.diagnostic(`${cases.length - other} of ${cases.length} alike by policy; ${JSON.stringify(others)}`)
    assert.deepEqual(wrong, [])
    assert.ok(cases.length - other > other, 'most cases must be comparable')
  })
})
