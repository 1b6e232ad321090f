import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedTitle } from './feed-title.ts'

const cases: readonly [about: string, type: string, body: string, title: string][] = [
  [
    'RSS',
    'application/rss+xml',
    '<?xml version="1.0"?><rss version="2.0"><channel><title>River &amp; sea</title><item><title>No</title></item></channel></rss>',
    'River & sea',
  ],
  [
    'Atom',
    'application/atom+xml',
    '<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">River</title><entry><title>No</title></entry></feed>',
    'River',
  ],
  [
    'RDF',
    'text/xml',
    '<rdf:RDF xmlns:rdf="x"><channel rdf:about="y"><title><![CDATA[River <b>news</b>]]></title></channel><item><title>No</title></item></rdf:RDF>',
    'River news',
  ],
  [
    'JSON Feed',
    'application/feed+json',
    '{"version":"https://jsonfeed.org/version/1.1","title":"River \\"news\\"","items":[{"title":"No"}]}',
    'River "news"',
  ],
  [
    'empty if the feed has none',
    'application/rss+xml',
    '<rss><channel><item><title>No</title></item></channel></rss>',
    '',
  ],
  ['empty for other XML', 'application/xml', '<book><title>Rivers</title></book>', ''],
  ['empty for other JSON', 'application/json', '{"title":"Rivers"}', ''],
  ['empty for an HTML page', 'text/html', '<title>Rivers</title>', ''],
  ['empty if the title element never ends', 'application/rss+xml', `<rss><channel><title>${'x'.repeat(100_000)}`, ''],
]
for (const [about, type, body, title] of cases)
  test(`feed title: ${about}`, () => assert.equal(feedTitle(Buffer.from(body), type), title))
