import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { CrawlResult } from '../../src/core/reports/crawl-report.ts'
import type { ModuleReport } from '../../src/core/reports/module-report.ts'
import { createDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { lastLines, readResult, startErace } from '../kit/erace.ts'
import { createSite } from '../site/site.ts'
import { writeModules } from './faulty/modules.ts'

usePostgres()

const PAGES = 12

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
  describe(`failing modules, on ${engine}`, () => {
    test('do not stop the crawl or affect other pages, and are reported with the page', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'erace-modules-'))
      const site = await createSite({ pages: PAGES, linksPerPage: 5 })
      const { options, destroy } = await open()
      try {
        const parts = writeModules(folder, ['counts.ts', 'throws.ts', 'loops.ts', 'leaks.ts', 'buffers.ts', 'dies.ts'])
        const config = join(folder, 'erace.config.json')
        const limits = { pageTime: '8s', memory: '64MB', maxFaults: 5, checkpointEvery: '200ms' }
        writeFileSync(config, JSON.stringify({ parts: { ...parts, ...limits, output: join(folder, 'out') } }))
        const end = await startErace([
          ...['crawl', `${site.origin()}/`, '--data', join(folder, 'data'), '--config', config, '--json'],
          ...['--delay', '0', '--allow-net', '127.0.0.0/8', ...options],
        ]).endWithin(120_000)
        const result = readResult(end) as CrawlResult | undefined
        assert.ok(result !== undefined && end.exitCode === 0, `${end.exitCode} ${end.stdout} ${lastLines(end, 30)}`)
        assert.equal(result.fetched, PAGES)
        const reports = new Map(result.details.modules?.map((report) => [report.name, report]))
        const of = (name: string): ModuleReport => reports.get(name)!

        const counted = of('counts').result as string[]
        assert.equal(counted.length, PAGES)
        assert.equal(new Set(counted).size, PAGES)
        assert.deepEqual([of('counts').pages, of('counts').failedOn], [PAGES, []])

        assert.equal(of('throws').pages, PAGES - 1)
        assert.equal(of('throws').failures.threw, 1)
        assert.match(of('throws').failedOn[0]!.url, /\/page\/3\.html$/)
        assert.match(of('throws').failedOn[0]!.message, /no threes/)

        assert.deepEqual([of('loops').pages, of('loops').result], [PAGES - 1, PAGES - 1])
        assert.equal(of('loops').failures.timeout, 1)
        assert.match(of('loops').failedOn[0]!.url, /\/page\/4\.html$/)

        for (const [name, page] of [
          ['leaks', '/page/5.html'],
          ['buffers', '/page/6.html'],
        ] as const) {
          assert.equal(of(name).pages, PAGES - 1, name)
          assert.equal(of(name).failures.memory, 2, `${name}: the page was given a second chance`)
          assert.ok(of(name).failedOn.every(({ url }) => url.endsWith(page)))
          assert.equal(of(name).isOff, false)
        }

        assert.deepEqual([of('dies').pages, of('dies').isOff], [0, true])
        assert.equal(of('dies').failures.crashed, 5)
        assert.match(end.stderr, /the module dies is switched off after 5 faults/)
        if (options.length === 0) assert.deepEqual(readdirSync(join(folder, 'data', 'spool')), [])
      } finally {
        await site.close()
        await destroy()
        rmSync(folder, { recursive: true, force: true })
      }
    })
  })
