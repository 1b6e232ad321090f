import type { startErace } from '../faults/erace.ts'

/** `erace up` as a user starts it, on a data folder that survives it; or the roles of a cluster, on such a store. */
export type Service = {
  readonly url: string
  /** The set-up link; null when there is an account. */
  readonly setupUrl: string | null
  /** Kills the process, runs `meanwhile`, and starts it again on the same port. */
  killAndStart(meanwhile?: () => Promise<void>): Promise<void>
  /** Stops it cleanly. */
  stop(): Promise<number | null>
  api(path: string, options?: { method?: string; body?: unknown; cookie?: string }): Promise<Response>
  destroy(): Promise<void>
}

export const settings = {
  ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  ERACE_SCHEDULE_MINEVERY: '300ms',
  ERACE_CRAWL_DELAY: '0',
  ERACE_CRAWL_DELAYFACTOR: '0',
  // Tests send requests faster than users do.
  ERACE_SERVER_REQUESTSPERMINUTE: '1000000',
}

export type Place = { url: string; setupUrl: string | null }

export type StartService = (more?: Record<string, string>) => Promise<Service>

/** Requests to a server's API. */
export function apiOf(url: () => string): Service['api'] {
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

/** Waits for the line it prints when it is ready. */
export async function listening({ child, ended }: ReturnType<typeof startErace>): Promise<Place> {
  const line = new Promise<string>((resolve) => {
    let text = ''
    child.stdout!.on('data', (part: string) => {
      text += part
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })
  const first = await Promise.race([line, ended])
  if (typeof first !== 'string') throw new Error(`it has ended: ${first.stderr.slice(-2000)}`)
  return JSON.parse(first) as Place
}
