import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import { createHandlerSite } from '../../../test/site/handler-site.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { configOf } from '../../config/load-config.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createRetries } from '../../core/work/retries.ts'
import { runCrawl } from '../../crawl/crawl.ts'
import { createCounterMemory, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import { openForCrawling, startShardThreads } from './sqlite-shards.ts'

const SEEDS = 2_500

/** A crawl of many seeds on its own data folder; `between` is called before each batch. */
async function crawlSeeds(
  folder: string,
  origin: string,
  between: (batch: number, signal: AbortController) => Promise<void>,
  finish = (write: () => Promise<void>): Promise<void> => write(),
) {
  const config = configOf({
    'crawl.delay': '0ms',
    'crawl.threads': 3,
    'crawl.perHost': 16,
    'crawl.perAddress': 16,
    'crawl.tables': 'none',
  })
  const files = { mimeTypes: null, ignoreTypes: null, blockList: null, hostRules: null }
  const seeds = Array.from({ length: SEEDS }, (_, n) => `${origin}/${n}`)
  const settings: CrawlSettings = {
    ...{ folder, seeds, depth: null, restrict: null, maxPages: null, files, omit: [], config },
  }
  const retries = createRetries(systemClock)
  const log = pino({ level: 'silent' })
  const opened = openForCrawling(settings, log)
  const memory = createCounterMemory(opened.facts.shards, null)
  const { id: run } = await opened.runs.begin(systemClock.now())
  const threads = startShardThreads({
    ...{ settings, opened, run, looksBack: true, memory, log, retries },
  })
  const [first, ...others] = threads.handles
  const aborting = new AbortController()
  let batches = 0
  try {
    const result = await runCrawl({
      shards: [
        {
          ...first!,
          async seed(urls) {
            await between(batches++, aborting)
            return first!.seed(urls)
          },
        },
        ...others,
      ],
      counters: openSharedCounters(memory),
      ...{ seeds, clock: systemClock, signal: aborting.signal, onProgress() {} },
      finish: () => finish(() => opened.runs.finish(run, systemClock.now())),
      track: retries.track('finishing'),
    })
    return { result, batches }
  } finally {
    await threads.end()
    await opened.close()
  }
}

test('a crawl starts before all seeds are queued, and loses none if it is interrupted in between', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-seeding-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const firstRequest = Promise.withResolvers<void>()
  const site = await createHandlerSite((path, response) => {
    if (path === '/robots.txt') return void response.writeHead(404).end()
    firstRequest.resolve()
    response.end(`<p>${path}</p>`)
  })
  context.after(site.close)
  const data = join(folder, 'data')
  const stopped = await crawlSeeds(data, site.origin, async (batch, signal) => {
    // The second batch is offered only once the first is being crawled.
    if (batch === 1) {
      await firstRequest.promise
      signal.abort()
    }
  })
  assert.deepEqual([stopped.result.finished, stopped.result.interrupted], [false, true])
  assert.equal(stopped.batches, 2)
  // The disk is full when the crawl records that it is finished.
  let failures = 0
  const rest = await crawlSeeds(
    data,
    site.origin,
    async () => {},
    async (write) => {
      if (failures++ < 2) throw new AppError('store-full', 'no room')
      return write()
    },
  )
  assert.deepEqual([rest.result.finished, failures], [true, 3])
  const asked = site.asked.filter((path) => path !== '/robots.txt')
  assert.deepEqual([...asked].sort(), Array.from({ length: SEEDS }, (_, n) => `/${n}`).sort())
})
