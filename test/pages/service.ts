import { rmSync } from 'node:fs'
import { startErace } from '../faults/erace.ts'
import { newFolder } from '../site/crawl-run.ts'

/** `erace up` as a person starts it, on a data folder that survives it. */
export type Service = {
  readonly url: string
  /** Where the first account is made; null where there is one. */
  readonly setupUrl: string | null
  readonly data: string
  /** As after a power cut of the process, and started again at the same port. */
  killAndStart(): Promise<void>
  /** Asked to end, which it does. */
  stop(): Promise<number | null>
  api(path: string, options?: { method?: string; body?: unknown; cookie?: string }): Promise<Response>
  destroy(): Promise<void>
}

const settings = {
  ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  ERACE_SCHEDULE_MINEVERY: '300ms',
  ERACE_CRAWL_DELAY: '0',
  ERACE_CRAWL_DELAYFACTOR: '0',
  // Tests ask faster than people.
  ERACE_SERVER_REQUESTSPERMINUTE: '1000000',
}

type Place = { url: string; setupUrl: string | null }

export async function startService(more: Record<string, string> = {}): Promise<Service> {
  const data = newFolder()
  let run = startErace(['up', '--json', '--port', '0', '--data', data], { ...settings, ...more })
  let place = await listening(run)
  const { port } = new URL(place.url)

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    run.child.kill(signal)
    return (await run.ended).exitCode
  }

  return {
    get url() {
      return place.url
    },
    get setupUrl() {
      return place.setupUrl
    },
    data,
    async killAndStart() {
      await end('SIGKILL')
      run = startErace(['up', '--json', '--port', port, '--data', data], { ...settings, ...more })
      place = await listening(run)
    },
    stop: () => end('SIGTERM'),
    api: (path, { method = 'GET', body, cookie } = {}) =>
      fetch(`${place.url}/api/v1${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(cookie === undefined ? {} : { cookie }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async destroy() {
      if (run.child.exitCode === null && run.child.signalCode === null) await end('SIGKILL')
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** Waits for the one line that it prints when it answers. */
async function listening({ child, ended }: ReturnType<typeof startErace>): Promise<Place> {
  const line = new Promise<string>((resolve) => {
    let text = ''
    child.stdout!.on('data', (part: string) => {
      text += part
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })
  const first = await Promise.race([line, ended])
  if (typeof first !== 'string') throw new Error(`erace up has ended: ${first.stderr.slice(-2000)}`)
  return JSON.parse(first) as Place
}
