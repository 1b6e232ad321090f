import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { prepareBase, resolve } from '../../core/url/url.ts'
import { parseHostRules } from './host-rules.ts'
import { createLinkNormaliser } from './link-normaliser.ts'
import { createNormaliser, type NormaliserOptions } from './normaliser.ts'

describe('link normaliser', () => {
  it('resolves and normalises the links of a page', () => {
    const normalise = createLinkNormaliser().onPage(prepareBase('http://example.org/a/b.html?c'))
    assert.deepEqual(normalise('/x//y?utm_source=1#z'), {
      kind: 'ok',
      url: 'http://example.org/x//y?utm_source=1',
      key: 'http://example.org/x/y',
    })
    assert.deepEqual(normalise('c.html#top'), {
      kind: 'ok',
      url: 'http://example.org/a/c.html',
      key: 'http://example.org/a/c.html',
    })
    assert.deepEqual(normalise('mailto:a@b.example'), { kind: 'rejected', reason: 'scheme' })
    assert.deepEqual(normalise('http://['), { kind: 'rejected', reason: 'invalid' })
    assert.deepEqual(normalise(`/${'x'.repeat(5000)}`), { kind: 'rejected', reason: 'length' })
  })

  it('agrees with resolving first and then normalising, for any page and options', () => {
    const piece = fc.constantFrom(
      ...[
        '/',
        '//',
        '.',
        '..',
        './',
        '../',
        '?',
        '&',
        '&&',
        '#',
        'a',
        'B',
        'x.html',
        ':',
        'http:',
        'https://',
        'http://example.org',
      ],
      ...[
        'http://www.example.org/',
        'mailto:',
        '%2e',
        '%C3%A9',
        '%c3',
        '%41',
        '%',
        ';jsessionid=1',
        'utm_a=1',
        'fbclid',
        'a=1',
        "'",
        '[',
        'é',
      ],
      ...['index.html', 'sid=0123456789abcdef', ' ', '|', '~', '=', ';', '@', '\\', 'x'.repeat(40)],
    )
    const href = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''))
    const base = fc.constantFrom(
      ...[
        'http://example.org/',
        'http://www.example.org/a/b?c',
        'http://www.example.org/a//b;jsessionid=2/c',
        'ftp://example.org/x',
      ],
      ...[
        'http://u:p@example.org/a/',
        'http://127.0.0.1:8080/%7ea/%C3/x',
        'https://example.org./a/b',
        'mailto:x@y.example',
      ],
    )
    const options = fc.record({
      dropIndexNames: fc.boolean(),
      lowercasePaths: fc.boolean(),
      collapseSlashes: fc.boolean(),
      sortParameters: fc.boolean(),
      dropSessionIds: fc.boolean(),
      maxUrlLength: fc.constantFrom(60, 2048),
      hostRules: fc.constantFrom(parseHostRules(''), parseHostRules('startsWith(www.)=')),
    })
    const expected = (link: string, page: string, chosen: NormaliserOptions): unknown => {
      const url = resolve(link, prepareBase(page))
      return url === null ? { kind: 'rejected', reason: 'invalid' } : createNormaliser(chosen)(url)
    }
    fc.assert(
      fc.property(fc.array(href, { maxLength: 4 }), base, options, (links, page, chosen) => {
        const normalise = createLinkNormaliser(chosen).onPage(prepareBase(page))
        for (const link of links) assert.deepEqual(normalise(link), expected(link, page, chosen), `${link} on ${page}`)
      }),
      { numRuns: 1500 },
    )
  })
})
