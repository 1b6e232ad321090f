import assert from 'node:assert/strict'
import { openCatalogForReading } from '../../src/store/sqlite/folder/folder.ts'
import type { EraceProcess } from '../kit/erace.ts'
import { newFolder } from '../site/crawl-run.ts'
import { type ChangingPage, type ChangingPages, createChangingPages } from '../site/handler-site.ts'
import { createUpFolder, type UpFolder, until } from './up-run.ts'

export type Watching = UpFolder & {
  data: string
  sites: ChangingPages[]
  /** The first of the sites. */
  news: ChangingPages
  /** Starts `erace up`; may be called again after `end`. */
  begin(settings?: Record<string, string>): EraceProcess
  /** Stops it, which must succeed. */
  end(): Promise<void>
  /** Resolves when every watch has been checked again, from its start, and all results are annotated. */
  checked(times?: number): Promise<void>
  /** Annotations as `owner profile path kind`, oldest first. */
  notified(): Promise<string[]>
  query(sql: string): Record<string, unknown>[]
}

type Options = { pages: Record<string, ChangingPage>[]; addresses?: string[] }

/** Gives a test its sites and data folder; kills the process at the end if it is still running. */
export async function withWatching({ pages, addresses = [] }: Options, work: (watching: Watching) => Promise<void>) {
  const sites = await Promise.all(pages.map((each, n) => createChangingPages(each, addresses[n] ?? '127.0.0.1')))
  const data = newFolder()
  const folder = await createUpFolder(data)
  let run: EraceProcess | null = null
  const watching: Watching = {
    ...folder,
    data,
    sites,
    news: sites[0]!,
    begin(settings) {
      run = folder.start(settings)
      return run
    },
    async end() {
      if (run === null) return
      const { exitCode, signal, stderr } = await run.stop()
      run = null
      assert.equal(exitCode, 0, `${signal} ${stderr.slice(-2000)}`)
    },
    async checked(times = 1) {
      for (let n = 0; n < times; n++) {
        const from = Date.now()
        const checked = new Set<number>()
        await until('a check of everything', async () => {
          const rows = await folder.watches.all()
          for (const { id, round, checkedAt } of rows) if (round >= from && checkedAt >= round) checked.add(id)
          return checked.size === rows.length
        })
      }
      await until('all to be annotated', async () => (await folder.countTasks()) === 0)
    },
    async notified() {
      const annotations = await folder.annotations()
      return annotations.map(({ owner, profile, url, kind }) => {
        return `${owner.split('@')[0]} ${profile} ${new URL(url).pathname} ${kind}`
      })
    },
    query(sql) {
      const db = openCatalogForReading(data)
      try {
        return db.prepare(sql).all() as Record<string, unknown>[]
      } finally {
        db.close()
      }
    },
  }
  try {
    await work(watching)
    await watching.end()
  } finally {
    // The cast is needed because the compiler does not see that the closures above assign it.
    await (run as EraceProcess | null)?.stop('SIGKILL')
    folder.close()
    for (const site of sites) await site.close()
  }
}
