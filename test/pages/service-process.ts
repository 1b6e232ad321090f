import type { startErace } from '../faults/erace.ts'

/** `erace up` as a person starts it, on a data folder that survives it; or the roles of a cluster, on a store that does. */
export type Service = {
  readonly url: string
  /** Where the first account is made; null where there is one. */
  readonly setupUrl: string | null
  /** As after a power cut of the process, and started again at the same port, after what is done `meanwhile`. */
  killAndStart(meanwhile?: () => Promise<void>): Promise<void>
  /** Asked to end, which it does. */
  stop(): Promise<number | null>
  api(path: string, options?: { method?: string; body?: unknown; cookie?: string }): Promise<Response>
  destroy(): Promise<void>
}

export const settings = {
  ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  ERACE_SCHEDULE_MINEVERY: '300ms',
  ERACE_CRAWL_DELAY: '0',
  ERACE_CRAWL_DELAYFACTOR: '0',
  // Tests ask faster than people.
  ERACE_SERVER_REQUESTSPERMINUTE: '1000000',
}

export type Place = { url: string; setupUrl: string | null }

export type StartService = (more?: Record<string, string>) => Promise<Service>

/** Requests to the API of a server. */
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

/** Waits for the one line that it prints when it answers. */
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
