import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { readResult } from '../kit/erace.ts'
import { createHandlerSite } from '../site/handler-site.ts'
import { type Joined, startInCluster, startWorker } from './worker-process.ts'

usePostgres()

test('the lists, filter and URL normalisation of a crawl apply on every worker', async () => {
  const links = ['/a', '/A', '/b.old', '/private/c', '/drafts/d', '/docs/', '/docs/index.html', '/e.zip']
  const site = await createHandlerSite((path, response) => {
    const body = links.map((link) => `<a href="${link}">x</a>`).join('')
    response.end(path === '/robots.txt' ? '' : path === '/' ? body : path)
  })
  const { address, destroy } = await createDatabase()
  try {
    const worker = startWorker(address, 'other')
    await worker.ready<Joined>()
    const crawl = startInCluster(address, ['crawl', '--json', '--delay', '0', '--threads', '1', '--lowercase-paths'], {
      ERACE_CRAWL_SEEDS: `${site.origin}/`,
      ERACE_CRAWL_MIME: 'text/html html,application/zip zip',
      ERACE_CRAWL_IGNORE: 'old',
      ERACE_CRAWL_BLOCK: `${site.origin}/private/`,
      ERACE_CRAWL_FILTER: '{"not":{"url":"/drafts/"}}',
      ERACE_CRAWL_DROPINDEXNAMES: 'true',
    })
    const end = await crawl.ended
    assert.equal(end.exitCode, 0, end.stderr)
    const { stored, skipped } = readResult(end) as { stored: number; skipped: Record<string, number> }
    assert.deepEqual(site.asked.filter((path) => path !== '/robots.txt').sort(), ['/', '/a', '/docs/', '/e.zip'])
    assert.deepEqual([stored, skipped.type, skipped.blocked, skipped.scope], [4, 1, 1, 1])
    assert.equal((await worker.stop()).exitCode, 0)
  } finally {
    await destroy()
    await site.close()
  }
})
