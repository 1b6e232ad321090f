import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNameServer } from '../src/crawl/dns/name-server.testkit.ts'
import { newFolder, runCrawl } from './site/crawl-run.ts'
import { createHandlerSite } from './site/handler-site.ts'

test('slow DNS look-ups do not block the only fetcher of a crawl', async () => {
  const site = await createHandlerSite((path, response) => {
    response.statusCode = path === '/robots.txt' ? 404 : 200
    response.end('<title>here</title>')
  })
  const port = new URL(site.origin).port
  const names = await startNameServer((name) => {
    if (name.startsWith('silent')) return 'silent'
    if (name.startsWith('absent')) return { rcode: 3 }
    return { addresses: ['127.0.0.1'], ttlSeconds: 3600 }
  })
  try {
    const hosts = ['silent', 'a', 'absent', 'b', 'c'].map((name) => `http://${name}.example:${port}/`)
    const { result } = await runCrawl(hosts, {
      data: newFolder(),
      options: ['--fetchers', '1', '--threads', '1'],
      settings: {
        network: { nameservers: [names.server], allow: ['127.0.0.0/8'] },
        crawl: { maxAttempts: 1 },
      },
    })
    assert.equal(result.fetched, 3)
    assert.deepEqual(result.details.failures, { 'dns-failed': 1, 'dns-not-found': 1 })
    assert.deepEqual(result.details.names, { resolved: 3, failed: 2, waitedMs: 0 })
    assert.deepEqual(result.details.failedUrls.map(({ url, reason }) => `${new URL(url).hostname} ${reason}`).sort(), [
      'absent.example dns-not-found',
      'silent.example dns-failed',
    ])
  } finally {
    await names.close()
    await site.close()
  }
})
