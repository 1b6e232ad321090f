import { startPostgres } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'
import { startErace } from '../faults/erace.ts'
import { apiOf, listening, type Place, type Service, settings } from './service-process.ts'

const WORKERS = 2

/** `erace serve` and two of `erace worker` on a PostgreSQL of its own. */
export async function startCluster(more: Record<string, string> = {}): Promise<Service> {
  const server = await startPostgres()
  const env = {
    ...settings,
    ERACE_CLUSTER_LEASE: '2s',
    ...more,
    ERACE_STORE: await server.createDatabase('erace'),
  }
  let runs: ReturnType<typeof startErace>[] = []

  async function start(port: string): Promise<Place> {
    const serve = startErace(['serve', '--json', '--port', port], env)
    const workers = Array.from({ length: WORKERS }, (_, n) => startErace(['worker', '--name', `worker-${n + 1}`], env))
    runs = [serve, ...workers]
    return listening(serve)
  }

  /** The exit code of the first that did not end well, or 0. */
  async function end(signal: NodeJS.Signals): Promise<number | null> {
    for (const { child } of runs) child.kill(signal)
    const codes = await Promise.all(runs.map(async ({ ended }) => (await ended).exitCode))
    return codes.find((code) => code !== 0) ?? 0
  }

  let place = await start('0')
  const { port } = new URL(place.url)
  return {
    get url() {
      return place.url
    },
    get setupUrl() {
      return place.setupUrl
    },
    async killAndStart(meanwhile) {
      await end('SIGKILL')
      await meanwhile?.()
      place = await start(port)
    },
    stop: () => end('SIGTERM'),
    api: apiOf(() => place.url),
    async destroy() {
      await end('SIGKILL')
      await server.end()
    },
  }
}
