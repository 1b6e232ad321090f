import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { hostKey, hostNameOf, partitionCount, partitionOf, registrableDomain } from './partition.ts'

describe('hostKey', () => {
  it('includes the port only if it is not the default', () => {
    assert.equal(hostKey('http://example.org/'), 'example.org')
    assert.equal(hostKey('https://example.org/a:b/c'), 'example.org')
    assert.equal(hostKey('http://example.org:443/'), 'example.org:443')
    assert.equal(hostKey('https://example.org:8443/x?y'), 'example.org:8443')
    assert.equal(hostKey('http://127.0.0.1:8080/'), '127.0.0.1:8080')
    assert.equal(hostKey('http://127.0.0.1/'), '127.0.0.1')
    assert.equal(hostKey('http://[2001:db8::1]/x'), '[2001:db8::1]')
    assert.equal(hostKey('http://[2001:db8::1]:81/x'), '[2001:db8::1]:81')
  })

  it('includes the port for other protocols, and uses the scheme for local files', () => {
    assert.equal(hostKey('imap://mail.example/INBOX'), 'mail.example:143')
    assert.equal(hostKey('imap://~0123456789abcdef01234567@mail.example:1143/INBOX'), 'mail.example:1143')
    assert.equal(hostKey('nntps://[2001:db8::1]/group'), '[2001:db8::1]:563')
    assert.equal(hostKey('file:///srv/docs/'), 'file.localhost')
    assert.equal(hostKey('query+https://api.example/rows#rows=$'), 'api.example')
    assert.equal(hostKey('query+http://api.example:8080/?q#rows=$'), 'api.example:8080')
  })

  it('ignores access marks in the URL', () => {
    assert.equal(hostKey('https://~b@example.org/'), 'example.org')
    assert.equal(hostKey('http://~b-0123456789abcdef01234567@example.org:81/x'), 'example.org:81')
  })

  it('ignores the root dot of a host', () => {
    assert.equal(hostKey('http://example.org./x'), 'example.org')
    assert.equal(hostKey('http://example.org.:81/x'), 'example.org:81')
  })

  it('equals the host of the URL parser for every normalised URL', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
    const host = fc.oneof(
      fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
    )
    const port = fc.oneof(
      fc.constant(''),
      fc.integer({ min: 1, max: 65535 }).map((value) => `:${value}`),
    )
    const url = fc.tuple(fc.constantFrom('http', 'https'), host, port, fc.webPath())
    fc.assert(
      fc.property(url, ([scheme, name, suffix, path]) => {
        const parsed = new URL(`${scheme}://${name}${suffix}/${path}`)
        assert.equal(hostKey(parsed.href), parsed.host)
        assert.equal(hostNameOf(hostKey(parsed.href)), parsed.hostname)
      }),
    )
  })
})

describe('registrableDomain', () => {
  it('follows the public suffix list, including private suffixes', () => {
    assert.equal(registrableDomain('www.example.org'), 'example.org')
    assert.equal(registrableDomain('a.b.example.co.uk:8080'), 'example.co.uk')
    assert.equal(registrableDomain('example.github.io'), 'example.github.io')
    assert.equal(registrableDomain('x.example.github.io'), 'example.github.io')
    assert.equal(registrableDomain('www.example.org.'), 'example.org')
  })

  it('leaves addresses, bare suffixes and single labels as they are', () => {
    for (const host of ['127.0.0.1', '[::1]', 'localhost', 'co.uk', 'github.io', 'org']) {
      assert.equal(registrableDomain(host), host)
    }
    assert.equal(registrableDomain('127.0.0.1:8080'), '127.0.0.1')
    assert.equal(registrableDomain('[::1]:8080'), '[::1]')
    assert.equal(registrableDomain('localhost:3000'), 'localhost')
  })
})

describe('partitionOf', () => {
  it('never changes, because stored rows contain its result', () => {
    const frozen = [
      ['example.org', 35],
      ['example.com', 179],
      ['example.co.uk', 197],
      ['example.github.io', 45],
      ['localhost', 234],
      ['127.0.0.1:8080', 191],
      ['[::1]', 166],
      ['xn--bcher-kva.example', 109],
      ['wikipedia.org', 78],
      ['en.wikipedia.org', 98],
    ] as const
    for (const [host, partition] of frozen) assert.equal(partitionOf(host), partition, host)
  })

  it('puts all ports of a host name into one partition', () => {
    const partition = partitionOf('www.example.org')
    for (const host of ['www.example.org:8080', 'www.example.org.', 'www.example.org.:8080']) {
      assert.equal(partitionOf(host), partition)
    }
  })

  it('spreads the hosts of one domain evenly', () => {
    const counts = new Array<number>(partitionCount).fill(0)
    for (let n = 0; n < 25_600; n++) counts[partitionOf(`user${n}.example.org`)]! += 1
    assert.ok(Math.min(...counts) > 55 && Math.max(...counts) < 150, `${Math.min(...counts)} to ${Math.max(...counts)}`)
  })

  it('spreads domains evenly', () => {
    const counts = new Array<number>(partitionCount).fill(0)
    for (let n = 0; n < 25_600; n++) counts[partitionOf(`site${n}.example`)]! += 1
    assert.ok(Math.min(...counts) > 55 && Math.max(...counts) < 150, `${Math.min(...counts)} to ${Math.max(...counts)}`)
  })

  it('returns the same partition after its cache overflows', () => {
    const before = partitionOf('first.example')
    for (let n = 0; n < 25_000; n++) partitionOf(`h${n}.example`)
    assert.equal(partitionOf('first.example'), before)
  })
})
