import { rmSync } from 'node:fs'
import { readEvents } from '../../src/server/routes/inbox/event-stream.testkit.ts'
import { createEmptyDatabase } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { newFolder } from '../site/crawl-run.ts'
import { type EraceProcess, startErace } from './erace.ts'

type ApiOptions = { method?: string; body?: unknown; cookie?: string }
export type Api = (path: string, options?: ApiOptions) => Promise<Response>

/** The line that a server prints once it is listening. */
type Listening = { url: string; setupUrl: string | null }

/** `erace up` on a data folder, or the processes of a cluster on a database; the data survives restarts. */
export type Service = {
  readonly url: string
  /** The set-up link; null if an account exists. */
  readonly setupUrl: string | null
  /** Process id of the server. */
  readonly pid: number
  /** Kills the processes, runs `meanwhile`, and starts them again on the same port. */
  killAndStart(meanwhile?: () => Promise<void>): Promise<void>
  /** Stops all processes; resolves with the first exit code that is not 0, or 0. */
  stop(): Promise<number | null>
  /** Options for commands that use the same store. */
  readonly target: readonly string[]
  /** The complete log of the processes, once they are stopped. */
  log(): Promise<string>
  api: Api
  destroy(): Promise<void>
}

export type StartService = (more?: Record<string, string>) => Promise<Service>

const WORKERS = 2

const settings = {
  ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  ERACE_SCHEDULE_MINEVERY: '300ms',
  ERACE_CRAWL_DELAY: '0',
  ERACE_CRAWL_DELAYFACTOR: '0',
  // Tests send requests faster than users do.
  ERACE_SERVER_REQUESTSPERMINUTE: '1000000',
}

/** One process, or a cluster when ERACE_TEST_SERVICE is `cluster`. */
export const startService: StartService = (more = {}) =>
  process.env.ERACE_TEST_SERVICE === 'cluster' ? startCluster(more) : startUp(more)

export function startUp(more: Record<string, string> = {}): Promise<Service> {
  const data = newFolder()
  const env = { ...settings, ...more }
  return createService({
    ...firstPort(more),
    start: (port) => [startErace(['up', '--json', '--port', port, '--data', data], env)],
    destroy: async () => rmSync(data, { recursive: true, force: true }),
    target: ['--data', data],
  })
}

/** `erace serve` and two workers with one crawling thread each, on their own database. */
export async function startCluster(more: Record<string, string> = {}): Promise<Service> {
  const { address: store, destroy } = await createEmptyDatabase()
  const env = { ...settings, ERACE_CLUSTER_LEASE: '2s', ERACE_CRAWL_THREADS: '1', ...more, ERACE_STORE: store }
  return createService({
    ...firstPort(more),
    start: (port) => [
      startErace(['serve', '--json', '--port', port], env),
      ...Array.from({ length: WORKERS }, (_, n) => startErace(['worker', '--name', `worker-${n + 1}`], env)),
    ],
    destroy,
    target: ['--store', store],
  })
}

type ServiceDeps = {
  port: string
  start(port: string): EraceProcess[]
  destroy(): Promise<void>
  target: readonly string[]
}

const firstPort = ({ ERACE_SERVER_PORT: port = '0' }: Record<string, string>) => ({ port })

/** The first process is the server. */
async function createService({ port: first, start, destroy, target }: ServiceDeps): Promise<Service> {
  let running = start(first)
  let listening = await running[0]!.ready<Listening>()
  const { port } = new URL(listening.url)

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const ends = await Promise.all(running.map(({ stop }) => stop(signal)))
    return ends.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0
  }

  return {
    get url() {
      return listening.url
    },
    get setupUrl() {
      return listening.setupUrl
    },
    get pid() {
      return running[0]!.child.pid!
    },
    async killAndStart(meanwhile) {
      await end('SIGKILL')
      await meanwhile?.()
      running = start(port)
      listening = await running[0]!.ready<Listening>()
    },
    stop: () => end('SIGTERM'),
    target,
    log: async () => (await Promise.all(running.map(({ ended }) => ended))).map(({ stderr }) => stderr).join('\n'),
    api: apiOf(() => listening.url),
    async destroy() {
      await end('SIGKILL')
      await destroy()
    },
  }
}

/** `erace serve` on a free port. */
export function startServe(store: string, more: Record<string, string> = {}): EraceProcess {
  const env = { ...settings, ERACE_CLUSTER_LEASE: '2s', ...more, ERACE_STORE: store }
  return startErace(['serve', '--json', '--port', '0'], env)
}

export type Serve = Awaited<ReturnType<typeof openServe>>

export async function openServe(store: string, more: Record<string, string> = {}) {
  const started = startServe(store, more)
  const { url, setupUrl } = await started.ready<Listening>()
  const api = apiOf(() => url)
  return {
    ...started,
    url,
    setupUrl,
    api,
    readiness: () => fetch(`${url}/readyz`),
    stream: (cookie: string) => readEvents(`${url}/api/v1/events`, { cookie }),
    signIn: (account: { email: string; password: string }) => signIn(api, account),
  }
}

/** Requests to a server's API. */
export function apiOf(url: () => string): Api {
  return (path, { method = 'GET', body, cookie } = {}) =>
    fetch(`${url()}/api/v1${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookie === undefined ? {} : { cookie }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}

/** The cookie of a new session. */
export async function signIn(api: Api, { email, password }: { email: string; password: string }): Promise<string> {
  return cookieOf(await api('/session', { method: 'POST', body: { email, password } }))
}

export function cookieOf(answer: Response): string {
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0]
  if (cookie === undefined) throw new Error(`not signed in: ${answer.status}`)
  return cookie
}
