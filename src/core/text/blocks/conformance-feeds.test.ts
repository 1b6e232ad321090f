import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readBlocks } from '../blocks.ts'
import { htmlText } from './feed-entries.ts'

const folder = process.env.ERACE_CONFORMANCE
const skip = folder === undefined && !process.env.CI ? 'ERACE_CONFORMANCE is not set' : false

type Case = { test: string; baseUrl: string; data: string; asserts: [string, unknown][]; expectError: boolean }

/** Cases that differ from us for a reason. */
const exceptions: Record<string, string> = {
  TestParseEntriesWithDuplicateGUIDAndNoLink: 'the second of two entries with one id gets an id with a number',
  TestParseEntryWithHTMLTitle: 'titles are text: markup in them is not shown',
  TestParseEntryWithXHTMLTitle: 'titles are text: markup in them is not shown',
  TestParseEntryWithDoubleEncodedEntitiesTitle: 'titles are text: references in them are resolved',
  TestParseItemWithoutLink: 'RSS 1.0: an item is known by its rdf:about, which leads to it',
  TestParseItemWithMissingTitleUsesSummaryFallback: 'one without a title is called by the text that is shown of it',
  TestParseItemWithMissingTitleUsesContentTextFallback: 'one without a title is called by the text that is shown of it',
  TestParseRDFFeedWithEmptyTitle: 'a feed without a title is called by the address of its site',
  TestParseNullJSONFeed: 'the version of a JSON Feed is required: without it, it is JSON',
}

/** Authors, dates, pictures, languages, enclosures and addresses of the feed itself are not told. */
const told = /^(?:feed\.Title|len\(feed\.Entries\)|feed\.Entries\[\d+\]\.(?:Hash|URL|Title|Content))$/

const files = ['rss', 'atom03', 'atom10', 'rdf', 'json']

describe('feeds as miniflux reads them', { skip }, () => {
  for (const file of files) {
    const cases =
      skip === false
        ? (JSON.parse(readFileSync(join(folder!, 'feeds-miniflux', `${file}.json`), 'utf8')) as Case[])
        : []
    for (const { test: name, data, baseUrl, asserts, expectError } of cases) {
      if (Object.hasOwn(exceptions, name)) continue
      test(`${file}: ${name}`, () => {
        const contentType = file === 'json' ? 'application/feed+json' : 'text/xml'
        const blocks = readBlocks(Buffer.from(data), { contentType, url: baseUrl })!
        if (expectError) return
        assert.equal(blocks.kind, 'feed')
        const facts = Object.fromEntries(asserts.filter(([what]) => told.test(what)))
        const ours = Object.fromEntries(
          Object.entries(facts).map(([what, wanted]) => [what, ourFact(what, inOneLine(wanted))]),
        )
        assert.deepEqual(ours, mapValues(facts, inOneLine))

        function ourFact(what: string, wanted: unknown): unknown {
          if (what === 'feed.Title') return blocks.title
          if (what.startsWith('len')) return blocks.blocks.length
          const [, index, field] = /\[(\d+)\]\.(\w+)/.exec(what)!
          const entry = blocks.blocks[Number(index)]
          if (field === 'URL') return entry?.link ?? ''
          if (field === 'Title') return entry?.title ?? ''
          if (field === 'Hash')
            return createHash('sha256')
              .update(entry?.key ?? '')
              .digest('hex')
          return entry?.text.includes(htmlText(String(wanted))) ? wanted : entry?.text
        }
      })
    }
  }
})

function mapValues(facts: Record<string, unknown>, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, change(value)]))
}

function inOneLine(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : value
}
