import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CrawlDetails, mergeDetails, noDetails } from './crawl-report.ts'

test('merged details count names of Object.prototype members such as "constructor" correctly', () => {
  const names = ['text/html', 'constructor', 'toString', '__proto__']
  const details: CrawlDetails = {
    ...noDetails,
    statusCodes: { 200: 4 },
    mediaTypes: Object.fromEntries(names.map((name) => [name, 1])),
  }
  const { mediaTypes } = mergeDetails([details, details])
  assert.deepEqual(
    Object.entries(mediaTypes),
    names.map((name) => [name, 2]),
  )
})
