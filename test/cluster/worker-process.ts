import { after } from 'node:test'
import { type EraceEnd, startErace } from '../faults/erace.ts'

/** A process of a cluster, and what it says when it joined. */
export type ClusterProcess = ReturnType<typeof startErace> & {
  joined: Promise<{ node: string; name: string }>
  /** Resolves when a line of its log has this text; rejects when it ends without. */
  says(text: string): Promise<void>
}

/** Short leases: what a test takes away from somebody is with others soon. */
const environment = {
  ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  ERACE_CRAWL_DELAY: '0',
  ERACE_CRAWL_DELAYFACTOR: '0',
  ERACE_CRAWL_PERHOST: '4',
  ERACE_CLUSTER_LEASE: '3s',
}

const running = new Set<ClusterProcess>()
after(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL')
    await ended
  }
})

export function startInCluster(store: string, args: string[], env: Record<string, string> = {}): ClusterProcess {
  const started = startErace(args, { ...environment, ERACE_STORE: store, ...env })
  const { child, ended } = started
  const joined = Promise.withResolvers<{ node: string; name: string }>()
  joined.promise.catch(() => {}) // not every test waits for it
  const waiting = new Set<{ text: string; resolve(): void; reject(error: Error): void }>()
  let heard = ''
  child.stdout!.once('data', (line: string) => {
    if (args[0] === 'worker') joined.resolve(JSON.parse(line))
  })
  const look = (): void => {
    for (const each of waiting) if (heard.includes(each.text)) each.resolve()
  }
  child.stderr!.on('data', (text: string) => {
    heard += text
    look()
  })
  const process: ClusterProcess = {
    ...started,
    joined: joined.promise,
    says: (text) =>
      new Promise((resolve, reject) => {
        waiting.add({ text, resolve, reject })
        look()
      }),
  }
  running.add(process)
  void ended.then((end: EraceEnd) => {
    running.delete(process)
    const error = new Error(`ended with ${end.exitCode}: ${end.stdout.slice(0, 500)} ${end.stderr.slice(-2000)}`)
    joined.reject(error)
    for (const each of waiting) each.reject(error)
  })
  return process
}

export function startWorker(store: string, name: string, env: Record<string, string> = {}): ClusterProcess {
  return startInCluster(store, ['worker', '--json', '--name', name, '--threads', '1', '--fetchers', '8'], env)
}

export function startCrawl(store: string, seeds: string[], options: string[] = []): ClusterProcess {
  const size = ['--threads', '1', '--fetchers', '8']
  return startInCluster(store, ['crawl', ...seeds, '--json', '--delay', '0', ...size, ...options])
}
