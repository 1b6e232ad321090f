import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { extractLinks } from './page.testkit.ts'

const folder = process.env.ERACE_CONFORMANCE
const skip = folder === undefined && !process.env.CI ? 'ERACE_CONFORMANCE is not set' : false

type Case = {
  test: string
  options: Record<string, unknown>
  url: string
  encoding: string | null
  bodyBase64?: string
  links: { url: string; nofollow: boolean }[]
}

/** Options for filtering, canonical forms or parts of the page: other steps of the pipe do that, or none. */
const policyOptions = new Set([
  ...['allow', 'deny', 'allow_domains', 'deny_domains', 'deny_extensions', 'canonicalize', 'process', 'process_value'],
  ...['restrict_text', 'strip'],
])

/** Cases where we differ, with the reason. */
const exceptions: Record<string, string> = {
  'TestLxmlLinkExtractor.test_ftp_links': 'only http and https are followed',
  'TestLxmlLinkExtractor.test_ignored_extensions': 'suffixes are ignored by the next step',
  'TestLxmlLinkExtractor.test_tags_attrs': 'data attributes are no links',
  'TestLxmlLinkExtractor.test_restrict_css': 'parts of the page cannot be chosen',
  'TestLxmlLinkExtractor.test_restrict_css_and_restrict_xpaths_together': 'parts of the page cannot be chosen',
  'TestLxmlLinkExtractor.test_restrict_xpaths': 'parts of the page cannot be chosen',
  'TestLxmlLinkExtractor.test_restrict_xpaths_encoding': 'parts of the page cannot be chosen',
  'TestLxmlParserLinkExtractor.test_deduplicates_by_canonical_url': 'the order of parameters belongs to normalising',
}

function isPolicy({ options, bodyBase64 }: Case): boolean {
  if (bodyBase64 === undefined) return true
  return Object.entries(options).some(
    ([name, value]) => (policyOptions.has(name) && !isEmptyList(value)) || value === null,
  )
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** The expected links without fragments and repetitions, which we drop. */
function wanted({ links }: Case): { url: string; nofollow: boolean }[] {
  const byUrl = new Map<string, { url: string; nofollow: boolean }>()
  for (const { url, nofollow } of links) {
    const whole = url.replace(/#.*/, '')
    if (!byUrl.has(whole)) byUrl.set(whole, { url: whole, nofollow })
  }
  return [...byUrl.values()]
}

describe('Scrapy’s link extractor cases', { skip }, () => {
  if (skip) return
  const cases: Case[] = JSON.parse(readFileSync(join(folder ?? '', 'links-scrapy', 'cases.json'), 'utf8'))
  for (const item of cases) {
    if (isPolicy(item) || item.test in exceptions) continue
    test(`${item.test} ${JSON.stringify(item.options)}`, () => {
      const tags = [item.options.tags ?? ['a', 'area']].flat()
      const found = extractLinks(Buffer.from(item.bodyBase64 ?? '', 'base64'), item.url, item.encoding)
      const links = found.filter(({ tag }) => tags.includes(tag)).map(({ url, nofollow }) => ({ url, nofollow }))
      assert.deepEqual(links, wanted(item))
    })
  }
})
