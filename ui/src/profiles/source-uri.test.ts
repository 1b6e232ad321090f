import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatSource, formOfKind, parseSource, type SourceForm } from './source-uri.ts'

const forms: [string, SourceForm, ('http' | 'browser')?][] = [
  ['https://example.org/a?b=c', { kind: 'page', address: 'https://example.org/a?b=c', steps: [] }],
  ['example.org/news', { kind: 'page', address: 'example.org/news', steps: [] }],
  [
    'https://example.org/#!click=.accept&fill=%23q:={user}%20%26%20co&wait=1500',
    { kind: 'page', address: 'https://example.org/', steps: ['click=.accept', 'fill=#q:={user} & co', 'wait=1500'] },
    'browser',
  ],
  ['https://example.org/?q={keywords}', { kind: 'page', address: 'https://example.org/?q={keywords}', steps: [] }],
  ['https://example.org/feed.xml', { kind: 'feed', address: 'https://example.org/feed.xml' }],
  ['https://example.org/rss', { kind: 'feed', address: 'https://example.org/rss' }],
  [
    'imaps://mail.example.org/Lists/a%20%26%20b',
    { kind: 'mailbox', protocol: 'imap', tls: true, host: 'mail.example.org', mailbox: 'Lists/a & b' },
  ],
  [
    'pop3://mail.example.org:1110/',
    { kind: 'mailbox', protocol: 'pop3', tls: false, host: 'mail.example.org:1110', mailbox: '' },
  ],
  ['nntps://news.example.org/de.test', { kind: 'newsgroup', tls: true, host: 'news.example.org', group: 'de.test' }],
  ['nntp://[::1]:1119/de.test', { kind: 'newsgroup', tls: false, host: '[::1]:1119', group: 'de.test' }],
  [
    'postgres://db.example.org/shop?query=SELECT%20a%2Bb%20FROM%20%22x%20%26%20y%22%20--%20%23&key=id%2Cnr&title=name&sslmode=require',
    {
      ...{ kind: 'database', system: 'postgres', host: 'db.example.org', database: 'shop', tls: 'require' },
      ...{ query: 'SELECT a+b FROM "x & y" -- #', key: 'id,nr', title: 'name' },
    },
  ],
  [
    'sqlite:///data/a%20b.db?query=SELECT%201',
    {
      ...{ kind: 'database', system: 'sqlite', host: '', database: '/data/a b.db', tls: '' },
      ...{ query: 'SELECT 1', key: '', title: '' },
    },
  ],
  [
    'query+https://example.org/api?q=x#rows=%24.items%5B*%5D&key=id&title=name&next=%24.next&pages=3',
    {
      ...{ kind: 'query', address: 'https://example.org/api?q=x', method: 'GET', body: '', rows: '$.items[*]' },
      ...{ cells: [], key: 'id', title: 'name', next: '$.next', page: '', pages: '3' },
    },
  ],
  [
    'query+https://example.org/search#rows=tr&cells=a%3A.x&cells=b%3A.y&body=%7B%22q%22%3A1%7D&type=json',
    {
      ...{ kind: 'query', address: 'https://example.org/search', method: 'json', body: '{"q":1}', rows: 'tr' },
      ...{ cells: ['a:.x', 'b:.y'], key: '', title: '', next: '', page: '', pages: '' },
    },
  ],
  ['file:///srv/my%20reports/', { kind: 'files', place: 'file', host: '', path: '/srv/my reports/' }],
  ['ftps://ftp.example.org/pub/', { kind: 'files', place: 'ftps', host: 'ftp.example.org', path: '/pub/' }],
  [
    'gopher://gopher.example.org/1/news',
    { kind: 'files', place: 'gopher', host: 'gopher.example.org', path: '/1/news' },
  ],
]

describe('the address of a source', () => {
  for (const [uri, form, render] of forms)
    test(`${uri} is parsed into its form and formatted back`, () => {
      assert.deepEqual(parseSource(uri, render), form)
      assert.equal(formatSource(form), uri)
    })

  test('stays plain text if a form would lose part of it', () => {
    for (const uri of [
      'ftp://ftp.example.org/%2Fpub/',
      'imap://ann@mail.example.org/INBOX',
      'imap://mail.example.org/INBOX?x=1',
      'pop3://mail.example.org/INBOX',
      'postgres://h/d?query=SELECT%201&schema=x',
      'postgres://h/d?query=SELECT%201&query=SELECT%202',
      'query+https://h/#rows=li&colour=red',
      'sqlite://host/a.db?query=SELECT%201',
      'file://host/a',
      'file:///a%ff',
      'mailto:ann@example.org',
    ])
      assert.deepEqual(parseSource(uri), { kind: 'other', address: uri }, uri)
    assert.equal(parseSource('https://example.org/#!click=%', 'browser').kind, 'other')
  })

  test('is empty while its form is empty', () => {
    for (const kind of ['page', 'feed', 'mailbox', 'newsgroup', 'database', 'query', 'files', 'other'] as const)
      assert.equal(formatSource(formOfKind(kind, { kind: 'other', address: '' })), '', kind)
  })

  test('keeps the fields that still fit when its kind changes', () => {
    const page: SourceForm = { kind: 'page', address: 'example.org', steps: [] }
    assert.deepEqual(formOfKind('feed', page), { kind: 'feed', address: 'example.org' })
    const mailbox = formOfKind('mailbox', { kind: 'newsgroup', tls: true, host: 'x.example', group: 'a' })
    assert.equal(formatSource(mailbox), 'imaps://x.example/')
    assert.equal(formatSource(formOfKind('mailbox', page)), '')
  })
})
