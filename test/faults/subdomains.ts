import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openPool } from '../../src/store/postgres/connection/pool.ts'
import { migrate } from '../../src/store/postgres/schema/migrate.ts'
import { startPostgres } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'
import { type EraceProcess, readResult, startErace } from '../kit/erace.ts'
import { runAlone } from './experiment.ts'

/** Six hosts of one domain, crawled by three workers (one of which started the crawl): each must fetch 25 to 42 % of the pages. */
const defaults = { hosts: 6, pages: 300, latencyMs: 100, patienceMs: 300_000 }
type SubdomainsOptions = typeof defaults

const environment = {
  ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  ERACE_CRAWL_DELAY: '0',
  ERACE_CRAWL_DELAYFACTOR: '0',
  ERACE_CRAWL_PERHOST: '4',
  ERACE_CRAWL_PERADDRESS: '64',
  ERACE_CLUSTER_LEASE: '3s',
}

export async function runSubdomains(given: Partial<SubdomainsOptions> = {}) {
  const options = { ...defaults, ...given }
  const site = await startSite(options)
  const server = await startPostgres()
  const pool = openPool({ address: server.address, maxConnections: 2, name: 'subdomains' })
  const workers: EraceProcess[] = []
  const faults: string[] = []
  try {
    await migrate(pool)
    const env = { ...environment, ERACE_STORE: server.address }
    for (const name of ['first', 'second']) {
      const worker = startErace(['worker', '--json', '--name', name, '--threads', '1', '--fetchers', '8'], env)
      workers.push(worker)
      await worker.ready()
    }
    const size = ['--threads', '1', '--fetchers', '8']
    const crawl = startErace(['crawl', ...site.seeds, '--json', '--delay', '0', ...size], env)
    workers.push(crawl)
    const result = readResult(await crawl.ended)
    const rows = await pool.query<{ fetched: number }>(
      `SELECT sum((figures->>'fetched')::int) AS fetched FROM run_figures GROUP BY node`,
    )
    const all = options.hosts * (options.pages + 1)
    const shares = rows.map(({ fetched }) => Number(fetched) / all)
    if (result?.fetched !== all) faults.push(`${result?.fetched} of ${all} pages were fetched`)
    if (shares.length !== 3) faults.push(`${shares.length} workers took part`)
    for (const share of shares) if (share < 0.25 || share > 0.42) faults.push(`a worker did ${percent(share)}`)
    return { faults, figures: { pages: all, shares: shares.map(percent).join(', ') } }
  } finally {
    for (const worker of workers) await worker.stop('SIGKILL')
    await pool.close()
    await server.end()
    await site.close()
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

async function startSite({ hosts, pages, latencyMs }: SubdomainsOptions) {
  const server = createServer(({ url }, response) => {
    const links = url === '/' ? Array.from({ length: pages }, (_, n) => `<a href="/${n}">${n}</a>`).join('\n') : url
    setTimeout(() => {
      response.setHeader('content-type', 'text/html')
      response.end(url === '/robots.txt' ? '' : `<title>${url}</title>${links}`)
    }, latencyMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    seeds: Array.from({ length: hosts }, (_, n) => `http://team${n}.company.localhost:${port}/`),
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

if (import.meta.main) await runAlone(defaults, runSubdomains)
