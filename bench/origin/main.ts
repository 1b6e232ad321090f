import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { hostsOf, loadRoot } from './roots.ts'
import { createOriginServer } from './server.ts'
import { changeDocuments, countDocuments, type Sites } from './site-table.ts'
import { generateWeb } from './web.ts'

/**
 * The process of the origin. It prints one JSON line when it is ready, answers `/__stats`, `/__reset`, `/__mark`,
 * `/__change?nth=N` and `/__reached?requests=N` on its control port, and ends with its standard input, so that it never outlives
 * its parent.
 */
const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '8' },
    pages: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    'mean-bytes': { type: 'string', default: '33000' },
    links: { type: 'string', default: '40' },
    'latency-ms': { type: 'string', default: '0' },
    port: { type: 'string', default: '0' },
    root: { type: 'string', multiple: true, default: [] },
  },
})

const hosts = hostsOf(values.root.length > 0 ? values.root.length : Number(values.hosts))
const sites: Sites = new Map()
const origin = createOriginServer({ sites, latencyMs: Number(values['latency-ms']) })

function fillSites(port: number): void {
  if (values.root.length > 0) {
    for (const [index, root] of values.root.entries()) sites.set(hosts[index]!, loadRoot(root))
    return
  }
  const web = generateWeb({
    hosts,
    port,
    pages: Number(values.pages),
    seed: Number(values.seed),
    meanBytes: Number(values['mean-bytes']),
    linksPerPage: Number(values.links),
  })
  for (const [host, site] of web) sites.set(host, site)
}

const control = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://control')
  const reply = (value: unknown): void => void response.end(JSON.stringify(value))
  response.setHeader('content-type', 'application/json')
  if (url.pathname === '/__stats') return reply(origin.stats())
  if (url.pathname === '/__reset') return reply(origin.reset() ?? {})
  if (url.pathname === '/__mark') return reply(origin.mark() ?? {})
  if (url.pathname === '/__change')
    return reply({ changed: changeDocuments(sites, Number(url.searchParams.get('nth'))) })
  if (url.pathname === '/__reached')
    return void origin.reached(Number(url.searchParams.get('requests'))).then(() => reply({}))
  response.statusCode = 404
  reply({})
})

// A control connection may be idle for a whole crawl; closing it would race with the next request.
control.keepAliveTimeout = 0

const port = await origin.listen(hosts, Number(values.port))
fillSites(port)
origin.reset()
control.listen(0, '127.0.0.1', () => {
  const controlPort = (control.address() as AddressInfo).port
  process.stdout.write(`${JSON.stringify({ port, controlPort, hosts, ...countDocuments(sites) })}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
