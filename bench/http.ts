import { connect, type Socket } from 'node:net'
import { Client } from 'undici'
import { systemClock } from '../src/core/clock.ts'
import { createAddressGuard } from '../src/core/url/address.ts'
import { createDnsCache } from '../src/crawl/dns/dns-cache.ts'
import { defaultFetchLimits } from '../src/crawl/fetch/fetch-limits.ts'
import { createFetcher } from '../src/crawl/fetch/fetcher.ts'
import { medianOf } from './measure.ts'
import { type Origin, startOrigin } from './origin/start.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'

export const optionNames = ['requests', 'hosts', 'per-host', 'rounds', 'mean-bytes']

/** Fetches one body at a time on its own connection; returns its length. The totals must agree, so that no client can skip data. */
type Get = (url: URL) => Promise<number>
type HttpClient = { label: string; open(origin: Origin): { connection(seed: URL): Get; close(): Promise<void> } }

/**
 * The cost of HTTP: our fetcher with all its limits, undici alone, and a minimal client on `node:net` that trusts every
 * Content-Length, checks nothing and doesn't support chunked encoding. Measures the CPU time of this process; clients alternate.
 */
export async function run({ values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const requests = number('requests', 10_000)
  const perHost = number('per-host', 8)
  const rounds = number('rounds', 5)
  const origin = await startOrigin({
    pages: 500,
    hosts: number('hosts', 8),
    seed: 1,
    meanBytes: number('mean-bytes', 33_000),
  })
  try {
    const times = new Map<string, number[]>(clients.map(({ label }) => [label, []]))
    let bytes = 0
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round++)
      for (const client of clients) {
        const { us, length } = await measure(client, origin, { requests, perHost })
        if (bytes > 0 && length !== bytes) throw new Error(`${client.label} read ${length} bytes, not ${bytes}`)
        bytes = length
        if (round > 0) times.get(client.label)!.push(us)
      }
    const medians = clients.map(({ label }) => medianOf(times.get(label)!))
    return {
      name: 'http',
      columns: ['client', 'CPU µs/request', 'lowest', 'highest', 'times the least'],
      rows: clients.map(({ label }, at) => [
        label,
        medians[at]!,
        Math.min(...times.get(label)!),
        Math.max(...times.get(label)!),
        medians[at]! / medians.at(-1)!,
      ]),
      stats: { fetcherUs: medians[0]!, undiciUs: medians[1]!, leastUs: medians[2]! },
      notes: [`${requests} requests of ${Math.round(bytes / requests)} bytes, ${rounds} rounds`],
    }
  } finally {
    await origin.close()
  }
}

async function measure(
  client: HttpClient,
  origin: Origin,
  { requests, perHost }: { requests: number; perHost: number },
) {
  const opened = client.open(origin)
  const each = Math.floor(requests / origin.seeds.length / perHost)
  const before = process.cpuUsage()
  const lengths = await Promise.all(
    origin.seeds.flatMap((seed) =>
      Array.from({ length: perHost }, async () => {
        const url = new URL(seed)
        const get = opened.connection(url)
        let length = 0
        for (let i = 0; i < each; i++) length += await get(url)
        return length
      }),
    ),
  )
  const { user, system } = process.cpuUsage(before)
  await opened.close()
  return {
    us: (user + system) / (each * perHost * origin.seeds.length),
    length: lengths.reduce((sum, each) => sum + each, 0),
  }
}

const fetcher: HttpClient = {
  label: 'our fetcher',
  open() {
    const guard = createAddressGuard({ allow: ['127.0.0.0/8'] })
    const dns = createDnsCache({
      resolver: { resolve: async (host) => ({ addresses: [host], ttlMs: 60_000 }) },
      clock: systemClock,
    })
    const fetcher = createFetcher({
      ...{ dns, guard, clock: systemClock, limits: { ...defaultFetchLimits, perHostConnections: 64 } },
      userAgent: 'bench',
      acceptsMediaType: () => true,
    })
    return {
      connection: () => async (url) => {
        const result = await fetcher.fetch({ url: url.href })
        if (result.kind !== 'response') throw new Error(`no response: ${result.kind}`)
        return result.body.length
      },
      close: () => fetcher.close(),
    }
  },
}

const plainUndici: HttpClient = {
  label: 'undici, dispatch',
  open() {
    const opened: Client[] = []
    return {
      connection({ origin }) {
        const client = new Client(origin, { headersTimeout: 0, bodyTimeout: 0 })
        opened.push(client)
        return ({ pathname }) =>
          new Promise((resolve, reject) => {
            const chunks: Buffer[] = []
            client.dispatch(
              { path: pathname, method: 'GET' },
              {
                onConnect() {},
                onHeaders: () => true,
                onData: (chunk: Buffer) => chunks.push(chunk) > 0,
                onComplete: () => resolve(Buffer.concat(chunks).length),
                onError: reject,
              },
            )
          })
      },
      close: async () => void (await Promise.all(opened.map((client) => client.destroy()))),
    }
  },
}

const least: HttpClient = {
  label: 'node:net, the least',
  open() {
    const sockets: Socket[] = []
    const buffer = Buffer.allocUnsafeSlow(256 << 10)
    return {
      connection({ hostname, port }) {
        let body: Buffer | null = null
        let filled = 0
        let done: (bytes: number) => void = () => {}
        const take = (bytes: number): boolean => {
          let from = 0
          if (body === null) {
            from = buffer.indexOf('\r\n\r\n') + 4
            const head = buffer.toString('latin1', 0, from)
            body = Buffer.allocUnsafeSlow(Number(/content-length: (\d+)/i.exec(head)![1]))
            filled = 0
          }
          filled += buffer.copy(body, filled, from, bytes)
          if (filled < body.length) return true
          const { length } = body
          body = null
          done(length)
          return true
        }
        const socket = connect({
          host: hostname,
          port: Number(port),
          noDelay: true,
          onread: { buffer, callback: take },
        })
        sockets.push(socket)
        return ({ pathname, host }) =>
          new Promise((resolve) => {
            done = resolve
            socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n\r\n`, 'latin1')
          })
      },
      async close() {
        for (const socket of sockets) socket.destroy()
      },
    }
  },
}

const clients: readonly HttpClient[] = [fetcher, plainUndici, least]
