import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { lastLines, startErace } from '../kit/erace.ts'
import { until } from '../watch/up-run.ts'
import { type ClusterWeb, checkWeb, withClusterWeb } from './cluster-web.ts'
import { inFolder, runAlone } from './experiment.ts'
import { startUnit, type UnitProcess } from './unit-process.ts'

/**
 * A deployment of one server and some workers, run by the units of `deploy/systemd`, is upgraded from an earlier version during a crawl,
 * in the order of deploy/README.md: the server first, which migrates the schema, then one worker after the other. New processes wait if a
 * migration can't run while processes of the earlier version do.
 *
 * The earlier version is a commit of this repository, checked out separately.
 */
const defaults = {
  /** Defaults to the latest tag, else to the version before the latest schema migration. */
  from: '',
  workers: 4,
  pages: 4000,
  hosts: 60,
  fetchers: 32,
  threads: 1,
  /** Long enough that the crawl outlasts the upgrade. */
  delayMs: 1000,
  latencyMs: 20,
  leaseMs: 15_000,
  patienceMs: 600_000,
}

type Options = typeof defaults

const here = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const run = promisify(execFile)
const git = async (...args: string[]): Promise<string> => (await run('git', ['-C', here, ...args])).stdout.trim()

/** The share of the web after which the upgrade begins. */
const UPGRADE_FROM = 0.3
const SCHEMA = 'src/store/postgres/schema/schema.ts'
/** Marks a migration in the schema's source. */
const CHANGE = '    id: '

async function earlierVersion(): Promise<string> {
  const tag = await git('describe', '--tags', '--abbrev=0', 'HEAD').catch(() => null)
  if (tag !== null) return tag
  const changed = await git('log', '-1', '--format=%H', `-S${CHANGE}`, '--', SCHEMA)
  if (changed === '') throw new Error('no earlier version: the history of this checkout is cut off')
  return `${changed}~1`
}

/** Checks out a commit and builds it as `npm ci` would, with the packages of this checkout. */
async function withVersion<T>(commit: string, work: (root: string) => Promise<T>): Promise<T> {
  return inFolder('upgrade', false, async (folder) => {
    const root = join(folder, 'earlier')
    await git('worktree', 'add', '--detach', root, commit)
    try {
      symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'))
      for (const script of ['scripts/build-scanner.ts', 'scripts/build-ui.ts'])
        if (existsSync(join(root, script))) await run(process.execPath, [script], { cwd: root })
      return await work(root)
    } finally {
      await git('worktree', 'remove', '--force', root)
    }
  })
}

export async function runUpgrade(given: Partial<Options> = {}) {
  const options = { ...defaults, ...given }
  const from = options.from === '' ? await earlierVersion() : options.from
  return withVersion(from, (root) =>
    withClusterWeb(options, async (web, faults) => {
      const schemas = { before: 0, after: 0 }
      const fleet = createFleet(web, options, root)
      try {
        await fleet.start('serve', root)
        const first = fleet.crawl(root)
        for (let n = 1; n <= options.workers; n++) await fleet.start(`worker-${n}`, root)
        await web.origin.reached(Math.round(web.origin.documents * UPGRADE_FROM), signalOf(options))
        schemas.before = await schemaOf(web)
        const askedBefore = (await web.origin.stats()).distinct
        // The command that started the crawl is not a service; the workers continue the crawl.
        await first.stop()
        for (const name of fleet.names()) {
          const { killed, exitCode } = await fleet.stop(name)
          if (killed || (exitCode !== 0 && exitCode !== 130)) faults.push(`${name} ended with ${exitCode}`)
          await fleet.start(name, here)
        }
        const joined = `SELECT 1 FROM nodes WHERE role = 'worker' AND seen_at > now() - interval '10 s'`
        await until(
          'all workers to be back',
          async () => (await web.pool.query(joined)).length === options.workers,
          options.patienceMs,
        )
        const askedMeanwhile = (await web.origin.stats()).distinct - askedBefore
        schemas.after = await schemaOf(web)
        if (await isOver(web)) faults.push('the crawl was over before all were upgraded')
        await until('the workers to end the crawl', () => isOver(web), options.patienceMs)
        const restarts = fleet.restarts()
        await fleet.end()
        const verify = await web.erace('verify', '--json').ended
        if (verify.exitCode !== 0) faults.push(`verify ended with ${verify.exitCode}: ${lastLines(verify)}`)
        if (options.from === '' && schemas.after <= schemas.before) faults.push('the schema did not change')
        const report = await checkWeb(web, { ...options, losses: options.workers + 1 }, faults)
        return { from, schemas, askedBefore, askedMeanwhile, restarts, ...report }
      } finally {
        await fleet.end()
      }
    }),
  )
}

const signalOf = ({ patienceMs }: Options): AbortSignal => AbortSignal.timeout(patienceMs)

async function isOver({ pool }: ClusterWeb): Promise<boolean> {
  return (await pool.query('SELECT 1 FROM runs WHERE finished_at IS NULL')).length === 0
}

async function schemaOf({ pool }: ClusterWeb): Promise<number> {
  const [row] = await pool.query<{ id: number }>('SELECT max(id) AS id FROM migrations')
  return row!.id
}

function createFleet(web: ClusterWeb, options: Options, folder: string) {
  const running = new Map<string, UnitProcess>()
  const order: string[] = []
  let restarts = 0
  const env = {
    ...web.env,
    ERACE_CRAWL_THREADS: `${options.threads}`,
    ERACE_CRAWL_FETCHERS: `${options.fetchers}`,
    ERACE_SERVER_PORT: '0',
  }
  return {
    names: () => [...order],
    restarts: () => restarts + [...running.values()].reduce((sum, unit) => sum + unit.restarts(), 0),
    async start(name: string, root: string): Promise<void> {
      const cache = join(folder, 'cache')
      mkdirSync(cache, { recursive: true })
      const unit = name === 'serve' ? 'erace-serve.service' : 'erace-worker@.service'
      if (!order.includes(name)) order.push(name)
      running.set(name, startUnit({ root, unit, instance: name, env, cache }))
    },
    async stop(name: string) {
      const unit = running.get(name)!
      running.delete(name)
      restarts += unit.restarts()
      return unit.stop()
    },
    crawl: (root: string) => startErace(web.crawlArgs, web.env, root, join(root, 'src/main.ts')),
    async end(): Promise<void> {
      const ending = [...running.values()]
      running.clear()
      await Promise.all(ending.map((unit) => unit.stop()))
    },
  }
}

if (import.meta.main) await runAlone(defaults, runUpgrade)
