import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { htmlText } from '../text/blocks/feed-entries.ts'
import { readBlocks } from '../text/blocks.ts'
import type { Feed, FeedEntry } from './feed.ts'
import { parseFeedDate } from './feed-date.ts'
import { readFeed } from './read-feed.ts'

const folder = process.env.ERACE_CONFORMANCE
const skip = folder === undefined && !process.env.CI ? 'ERACE_CONFORMANCE is not set' : false

type Case = { test: string; baseUrl: string; data: string; asserts: [string, unknown][]; expectError: boolean }

/** Cases that we handle differently on purpose. */
const exceptions: Record<string, string> = {
  TestParseEntriesWithDuplicateGUIDAndNoLink: 'the second of two entries with one id gets an id with a number',
  TestParseEntryWithHTMLTitle: 'titles are text: markup in them is not shown',
  TestParseEntryWithXHTMLTitle: 'titles are text: markup in them is not shown',
  TestParseEntryWithDoubleEncodedEntitiesTitle: 'titles are text: references in them are resolved',
  TestParseItemWithoutLink: 'RSS 1.0: an item is known by its rdf:about, which leads to it',
  TestParseItemWithMissingTitleUsesSummaryFallback: 'one without a title is called by the text that is shown of it',
  TestParseItemWithMissingTitleUsesContentTextFallback: 'one without a title is called by the text that is shown of it',
  TestParseRDFFeedWithEmptyTitle: 'a feed without a title is called by the address of its site',
  TestParseItemWithMultipleDuplicateAuthors: 'authors keep the order of the feed',
  TestParseItemWithTooLongUnicodeTitle:
    'a title that is made of the text is cut between words, and counted in characters',
  TestParseNullJSONFeed: 'the version of a JSON Feed is required: without it, it is JSON',
}

const files = ['rss', 'atom03', 'atom10', 'rdf', 'json']

describe('miniflux feed conformance', { skip }, () => {
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
        const feed = readFeed(Buffer.from(data), { contentType, url: baseUrl })!
        const facts = Object.fromEntries(asserts)
        const ours = Object.fromEntries(
          Object.entries(facts).map(([what, wanted]) => [what, ourFact(what, inOneLine(wanted))]),
        )
        assert.deepEqual(ours, mapValues(facts, inOneLine))

        function ourFact(what: string, wanted: unknown): unknown {
          if (what === 'feed.Title') return blocks.title
          if (what === 'len(feed.Entries)') return blocks.blocks.length
          if (/^feed\.\w+$/.test(what)) return feedFacts(feed).get(what.slice(5))
          if (what === 'len(feed.Entries[0].Title)') return blocks.blocks[0]?.title?.length
          const listed = /^(len\()?feed\.Entries\[(\d+)\]\.(Tags|Enclosures)(?:\[(\d+)\]\.(\w+))?/.exec(what)
          if (listed !== null) {
            const { categories, enclosures } = feed.entries[Number(listed[2])]!
            if (listed[1] !== undefined) return (listed[3] === 'Tags' ? categories : enclosures).length
            const { url, type } = enclosures[Number(listed[4])]!
            return listed[5] === 'URL' ? url : type
          }
          const own = /^feed\.Entries\[(\d+)\]\.(Author|CommentsURL|Language)$/.exec(what)
          if (own !== null) return entryFacts(feed.entries[Number(own[1])]!).get(own[2]!)
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

const feedFacts = (feed: Feed): Map<string, string> =>
  new Map([
    ['Description', htmlText(feed.description)],
    ['FeedURL', feed.self],
    ['SiteURL', feed.site],
    ['IconURL', feed.icon],
    ['Language', feed.language],
  ])

const entryFacts = ({ author, comments, language }: FeedEntry): Map<string, string> =>
  new Map([
    ['Author', author],
    ['CommentsURL', comments],
    ['Language', language],
  ])

describe('miniflux date conformance', { skip }, () => {
  const dates =
    skip === false ? (JSON.parse(readFileSync(join(folder!, 'feeds-miniflux', 'dates.json'), 'utf8')) as string[]) : []
  for (const date of dates)
    test(JSON.stringify(date), () => {
      const at = parseFeedDate(date)
      assert.notEqual(at, null)
      const year = /\b20\d\d\b/.exec(date)?.[0]
      if (year !== undefined) assert.ok(new Date(at!).toISOString().startsWith(year), new Date(at!).toISOString())
    })
})

function mapValues(facts: Record<string, unknown>, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, change(value)]))
}

function inOneLine(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : value
}
