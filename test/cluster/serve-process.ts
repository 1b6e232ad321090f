import { openPostgresStores } from '../../src/app/engines/postgres-stores.ts'
import { readEvents } from '../../src/server/routes/inbox/event-stream.testkit.ts'
import { startErace } from '../faults/erace.ts'
import { apiOf, listening, settings } from '../pages/service-process.ts'

export const administrator = { email: 'root@example.org', password: 'long enough for this' }

/** `erace serve` as a person starts it, at a port of its own. */
export function startServe(store: string, more: Record<string, string> = {}) {
  const run = startErace(['serve', '--json', '--port', '0'], {
    ...settings,
    ERACE_CLUSTER_LEASE: '2s',
    ...more,
    ERACE_STORE: store,
  })
  let log = ''
  run.child.stderr!.on('data', (text: string) => {
    log += text
  })
  // Read from the beginning: whoever asks later has not missed the line.
  const place = listening(run)
  place.catch(() => {})
  return { ...run, log: () => log, listening: () => place }
}

export type Serve = Awaited<ReturnType<typeof openServe>>

export async function openServe(store: string, more: Record<string, string> = {}) {
  const run = startServe(store, more)
  const place = await run.listening()
  const api = apiOf(() => place.url)
  return {
    ...run,
    ...place,
    api,
    readiness: () => fetch(`${place.url}/readyz`),
    stream: (cookie: string) => readEvents(`${place.url}/api/v1/events`, { cookie }),
    /** The cookie of a new session. */
    async signIn({ email, password }: { email: string; password: string }): Promise<string> {
      return cookieOf(await api('/session', { method: 'POST', body: { email, password } }))
    },
    async stop(): Promise<number | null> {
      run.child.kill('SIGTERM')
      return (await run.ended).exitCode
    },
  }
}

export function cookieOf(answer: Response): string {
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0]
  if (cookie === undefined) throw new Error(`nobody was signed in: ${answer.status}`)
  return cookie
}

/** The stores, as another process of the cluster has them. */
export const openStores = (address: string) => openPostgresStores({ address, maxConnections: 3, name: 'test' })
