import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CrawlResult } from '../../src/core/reports/crawl-report.ts'
import { createDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { type EraceProcess, lastLines, readResult, startErace } from '../kit/erace.ts'
import { createHandlerSite } from '../site/handler-site.ts'

usePostgres()

/** Reports when it saves its state: at the second time, the first state is in the store. */
const module = `
import { defineModule } from ${JSON.stringify(new URL('../../src/crawl/parts/part.ts', import.meta.url).href)}
let lengths = new Map<string, number>()
let snapshots = 0
let restored = 0
export default defineModule<Map<string, number>>({
  name: 'lengths',
  async process(page) {
    lengths.set(new URL(page.url).pathname, (await page.body.bytes()).length)
  },
  snapshot() {
    console.log('snapshot ' + ++snapshots + '.')
    return lengths
  },
  restore(state) {
    lengths = state
    restored = state.size
  },
  end: () => ({ restored, lengths: [...lengths] }),
})
`
const CHAINS = 10
const PAGES_BEFORE_KILL = 40
const LONG = 'x'.repeat(100_000)

/** Chains of pages that are endless until `end`. Some bodies are large enough to be kept in files while modules need them. */
async function createChains() {
  const bodies = new Map<string, string>()
  const enough = Promise.withResolvers<void>()
  let isEnding = false

  function create(chain: string, n: number): string {
    const next = isEnding ? '' : `<a href="/${chain}/${n + 1}">next</a>`
    return `<title>${n} of ${chain}</title><p>Page ${n}</p>${next}${n % 4 === 2 ? LONG : ''}`
  }

  const site = await createHandlerSite((path, response) => {
    const [, chain, n] = /^\/(\d+)\/(\d+)$/.exec(path) ?? []
    if (chain === undefined) return void response.writeHead(404).end()
    const body = bodies.get(path) ?? create(chain, Number(n))
    bodies.set(path, body)
    if (bodies.size >= PAGES_BEFORE_KILL) enough.resolve()
    response.end(body)
  })
  return {
    ...{ bodies, enough: enough.promise, close: site.close },
    seeds: Array.from({ length: CHAINS }, (_, chain) => `${site.origin}/${chain}/0`),
    end() {
      isEnding = true
    },
  }
}

const engines = [
  { engine: 'a data folder', open: async () => ({ options: [] as string[], destroy: async () => {} }) },
  {
    engine: 'a shared store',
    async open() {
      const { address, destroy } = await createDatabase()
      return { options: ['--store', address], destroy }
    },
  },
] as const

for (const { engine, open } of engines)
  test(`a module misses no page of a crawl that is killed and continued, on ${engine}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'erace-killed-'))
    const site = await createChains()
    const { options, destroy } = await open()
    let crawl: EraceProcess | null = null
    try {
      writeFileSync(join(folder, 'lengths.ts'), module)
      const config = join(folder, 'erace.config.json')
      writeFileSync(config, JSON.stringify({ parts: { modules: ['./lengths.ts'], checkpointEvery: '100ms' } }))
      const data = join(folder, 'data')
      const start = () =>
        startErace(
          [
            ...['crawl', ...site.seeds, '--data', data, '--config', config, '--json'],
            ...['--delay', '0', '--allow-net', '127.0.0.0/8', ...options],
          ],
          { ERACE_CLUSTER_LEASE: '2s' },
        )
      crawl = start()
      await Promise.all([crawl.logs('snapshot 2.'), site.enough])
      assert.equal((await crawl.stop('SIGKILL')).signal, 'SIGKILL')
      const before = site.bodies.size
      site.end()
      crawl = start()
      const end = await crawl.endWithin(60_000)
      const result = readResult(end) as CrawlResult | undefined
      assert.ok(result !== undefined && end.exitCode === 0, `${end.exitCode} ${end.stdout} ${lastLines(end, 30)}`)
      const report = result.details.modules![0]!
      const { restored, lengths } = report.result as { restored: number; lengths: [string, number][] }
      assert.ok(restored > 0, 'the state was given back')
      assert.ok(restored <= before)
      const expected = [...site.bodies].map(([path, body]) => [path, body.length])
      assert.deepEqual(lengths.sort(), expected.sort())
      assert.ok(report.pages >= expected.length)
      assert.deepEqual(report.failedOn, [])
      if (options.length === 0) assert.deepEqual(readdirSync(join(data, 'spool')), [])
    } finally {
      await crawl?.stop('SIGKILL')
      await site.close()
      await destroy()
      rmSync(folder, { recursive: true, force: true })
    }
  })
