import { after } from 'node:test'
import { type EraceProcess, startErace } from '../kit/erace.ts'

/** The line that a worker prints when it has joined. */
export type Joined = { node: string; name: string }

/** Short leases, so that others quickly take over the partitions of a dead process. */
const environment = {
  ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  ERACE_CRAWL_DELAY: '0',
  ERACE_CRAWL_DELAYFACTOR: '0',
  ERACE_CRAWL_PERHOST: '4',
  ERACE_CLUSTER_LEASE: '3s',
}

const started: EraceProcess[] = []
after(async () => {
  for (const { stop } of started) await stop('SIGKILL')
})

export function startInCluster(store: string, args: string[], env: Record<string, string> = {}): EraceProcess {
  const process = startErace(args, { ...environment, ERACE_STORE: store, ...env })
  started.push(process)
  return process
}

export function startWorker(store: string, name: string, env: Record<string, string> = {}): EraceProcess {
  return startInCluster(store, ['worker', '--json', '--name', name, '--threads', '1', '--fetchers', '8'], env)
}

export function startCrawl(
  store: string,
  seeds: string[],
  options: string[] = [],
  env: Record<string, string> = {},
): EraceProcess {
  const size = options.includes('--fetchers') ? ['--threads', '1'] : ['--threads', '1', '--fetchers', '8']
  return startInCluster(store, ['crawl', ...seeds, '--json', '--delay', '0', ...size, ...options], env)
}
