import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../src/core/errors.ts'
import { type Command, findProgram, measureCommand } from './measure.ts'
import { rootMediaTypes } from './origin/roots.ts'
import type { Origin } from './origin/start.ts'

/** The crawlers to compare. All run with the same relaxed politeness and store every body. */
export const toolNames = ['erace', 'wget2', 'scrapy', 'crawlee'] as const
export type ToolName = (typeof toolNames)[number]

export type ToolRun = {
  origin: Pick<Origin, 'port' | 'hosts' | 'seeds'>
  /** A new folder, removed after the run. */
  folder: string
  /** A limit for tools that are many times slower. */
  maxPages: number
  fetchers: number
  perHost: number
  threads: number
}

export type Tool = {
  name: ToolName
  /** Too slow for the whole web: it crawls fewer pages, timed from its first to its last request. */
  slow: boolean
  /** Concurrency settings to try; the best counts. */
  settings(run: Omit<ToolRun, 'folder'>): number[]
  /** Why the tool can't run here; undefined if it can. */
  missing(): Promise<string | undefined>
  command(run: ToolRun, setting: number): Command
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const crawleeFolder = here('./peers/crawlee')

const erace: Tool = {
  name: 'erace',
  slow: false,
  settings: (run) => [run.fetchers],
  missing: async () => (existsSync(here('../bin/erace.js')) ? undefined : 'bin/erace.js is missing'),
  command({ origin, folder, perHost, threads }, fetchers) {
    const mime = join(folder, 'mime.types')
    const ignore = join(folder, 'ignore.types')
    writeFileSync(mime, rootMediaTypes.join('\n'))
    writeFileSync(ignore, '')
    const options = {
      data: join(folder, 'data'),
      delay: 0,
      'per-host': perHost,
      fetchers,
      threads,
      'allow-net': '127.0.0.0/8',
      restrict: `^http://127\\.0\\.\\d+\\.\\d+:${origin.port}/`,
      mime,
      ignore,
    }
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
    return {
      program: process.execPath,
      args: [here('../bin/erace.js'), 'crawl', ...origin.seeds, '--json', '--quiet', ...args],
      cwd: folder,
    }
  },
}

const wget2: Tool = {
  name: 'wget2',
  slow: false,
  // Fastest with one thread per host: a thread keeps its connection while it stays on one host.
  settings: ({ origin }) => [...new Set([4, 8, Math.min(16, origin.hosts.length)])],
  missing: async () => (findProgram('wget2') === undefined ? 'wget2 is not on the path (Debian: wget2)' : undefined),
  command: ({ origin, folder }, threads) => ({
    program: 'wget2',
    args: [
      // Without --span-hosts it crawls only the hosts of the seeds.
      ...['--quiet', '--recursive', '--level=0', '--robots=off', '--tries=1', `--max-threads=${threads}`],
      ...origin.seeds,
    ],
    cwd: folder,
    // wget2 writes state files to the home folder; runs must not share them.
    env: { HOME: folder },
  }),
}

const scrapy: Tool = {
  name: 'scrapy',
  slow: true,
  settings: () => [32],
  async missing() {
    const python = findPython()
    if (python === undefined) return 'no python3 with scrapy on the path (Debian: python3-scrapy)'
    const { exitCode } = await measureCommand({ program: python, args: ['-c', 'import scrapy'] })
    return exitCode === 0 ? undefined : `${python} has no scrapy (Debian: python3-scrapy)`
  },
  command: ({ origin, folder, maxPages }, concurrency) => ({
    program: findPython() ?? 'python3',
    args: [here('./peers/scrapy_spider.py'), `${maxPages}`, `${concurrency}`, join(folder, 'bodies'), ...origin.seeds],
    cwd: folder,
  }),
}

/** Debian's Scrapy needs Debian's Python, which may not be the first `python3` on the path. */
function findPython(): string | undefined {
  return existsSync('/usr/bin/scrapy') ? '/usr/bin/python3' : findProgram('python3')
}

const crawlee: Tool = {
  name: 'crawlee',
  slow: true,
  settings: () => [16],
  async missing() {
    if (existsSync(join(crawleeFolder, 'node_modules/@crawlee/cheerio'))) return undefined
    const npm = findProgram('npm')
    if (npm === undefined) return 'npm is not on the path'
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error']
    const { exitCode } = await measureCommand({ program: npm, args, cwd: crawleeFolder })
    return exitCode === 0 ? undefined : 'npm install failed'
  },
  command: ({ origin, folder, maxPages }, concurrency) => ({
    program: process.execPath,
    args: [join(crawleeFolder, 'crawl.js'), `${maxPages}`, `${concurrency}`, join(folder, 'bodies'), ...origin.seeds],
    cwd: folder,
    env: { CRAWLEE_STORAGE_DIR: join(folder, 'storage') },
  }),
}

export const tools: readonly Tool[] = [erace, wget2, scrapy, crawlee]

export function findTool(name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name)
  if (tool === undefined)
    throw new AppError('usage-wrong', `unknown tool ${name}; expected one of ${toolNames.join(', ')}`)
  return tool
}
