import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyResult } from '../cli.testkit.ts'
import { closingTable } from './closing-table.ts'

test('the table shows totals, status codes, media types, skips, failures and hosts, largest first', () => {
  const text = closingTable({
    ...emptyResult,
    fetched: 12_345,
    stored: 12_000,
    bytes: 360_000_000,
    seconds: 125,
    perSecond: 98.76,
    skipped: { ...emptyResult.skipped, scope: 7, robots: 1234 },
    details: {
      ...emptyResult.details,
      statusCodes: { 404: 5, 200: 12_340 },
      mediaTypes: { 'text/html': 12_000, 'image/png': 345 },
      failures: { 'connect-timeout': 2 },
      slowestHosts: [{ host: 'slow.example', fetches: 12, meanMs: 5123.4 }],
      restingHosts: [{ host: 'tired.example', failures: 5, queued: 3 }],
      givenUpHosts: [{ host: 'dead.example', dropped: 99 }],
      failedUrls: [{ url: 'http://dead.example/a', reason: 'connect-timeout' }],
    },
  })
  assert.equal(
    text,
    `Crawl finished (2m05s)
  fetched      12,345  98.8/s
  stored       12,000  360 MB
  unchanged         0
  duplicates        0
  redirects         0
  failed            0
  links found       0
  URLs seen         0
  queued            0
  peak memory     0 B

Skipped
  robots  1,234
  scope       7

Status codes
  200  12,340
  404       5

Media types
  text/html  12,000
  image/png     345

Failures
  connect-timeout  2

Failed URLs (all: erace export bad-urls FILE)
  http://dead.example/a  connect-timeout

Slowest hosts
  slow.example  5,123 ms  12 requests

Hosts backing off
  tired.example  5 failures  3 queued

Abandoned hosts
  dead.example  99 dropped
`,
  )
})

test('an unfinished crawl shows the reason, the URLs still queued and how to continue', () => {
  const interrupted = closingTable({ ...emptyResult, finished: false, interrupted: true, queued: 1500 })
  assert.match(interrupted, /^Crawl interrupted, 1,500 still queued; run the same command to continue/)
  assert.match(closingTable({ ...emptyResult, finished: false, queued: 2 }), /^Crawl reached its page limit, 2 still/)
})

test('hostile media types cannot break the table', () => {
  const mediaTypes: Record<string, number> = { 'text/\u001b[31mhtml\n': 3, ['x'.repeat(5000)]: 2 }
  for (let i = 0; i < 50; i++) mediaTypes[`a/${i}`] = 1
  const text = closingTable({ ...emptyResult, details: { ...emptyResult.details, mediaTypes } })
  assert.match(text, /\n {2}text\/\?\[31mhtml\? +3\n/)
  assert.match(text, /\n {2}and 42 more\n$/)
  assert.ok(text.split('\n').every((line) => line.length < 120))
})
