import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import { readConfig } from '../config/load-config.ts'
import type { SharedSettings } from '../store/contracts/cluster/runs.ts'
import { sharedSettings, withSharedSettings } from './crawl-settings.ts'

const files = { mimeTypes: 'text/html', ignoreTypes: null, blockList: null, hostRules: null }

async function settingsOf(env: Record<string, string>, seeds: string[]): Promise<CrawlSettings> {
  const { config } = await readConfig({ cwd: '/', env })
  return { folder: '/x', config, seeds, depth: 2, restrict: '^http', maxPages: 9, omit: [], files }
}

test('machines share all settings of a crawl except those specific to a machine', async () => {
  const begun = await settingsOf(
    {
      ERACE_CRAWL_DELAY: '7s',
      ERACE_CRAWL_THREADS: '9',
      ERACE_CRAWL_FETCHERS: '900',
      ERACE_NETWORK_ALLOW: '10.0.0.0/8',
      ERACE_NETWORK_NAMESERVERS: '192.0.2.53',
      ERACE_CRAWL_FILTER: '{"not":{"suffix":"pdf"}}',
    },
    ['http://a/'],
  )
  const own = {
    ...(await settingsOf({ ERACE_CRAWL_THREADS: '2', ERACE_CLUSTER_NAME: 'w', ERACE_NETWORK_NAMESERVERS: '::1' }, [])),
    folder: '/y',
  }
  const travelled: SharedSettings = JSON.parse(JSON.stringify(sharedSettings(begun)))
  const { config, ...rest } = withSharedSettings(own, travelled)
  assert.deepEqual(rest, {
    folder: '/y',
    seeds: ['http://a/'],
    depth: 2,
    restrict: '^http',
    maxPages: 9,
    omit: [],
    files,
  })
  assert.deepEqual(config.crawl, { ...begun.config.crawl, threads: 2, fetchers: own.config.crawl.fetchers })
  // Which name servers are reachable depends on the machine.
  assert.deepEqual(config.network, { ...begun.config.network, nameservers: ['::1'] })
  assert.deepEqual(config.robots, begun.config.robots)
  assert.equal(config.cluster.name, 'w')
})

test('settings missing from another version keep their local values', async () => {
  const own = await settingsOf({}, [])
  const { config, depth } = withSharedSettings(own, { seeds: [], maxPages: null, config: { crawl: { delayMs: 1 } } })
  assert.equal(config.crawl.delayMs, 1)
  assert.equal(config.crawl.userAgent, own.config.crawl.userAgent)
  assert.equal(depth, 2)
})
