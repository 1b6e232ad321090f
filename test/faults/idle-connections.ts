import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { startService } from '../kit/service.ts'
import { runAlone } from './experiment.ts'

/**
 * Thousands of connections that do nothing, stop in the middle of a request or send nonsense, from one address and from
 * several, half of them never closed by the client. Another user's requests are answered as before, and afterwards the
 * server has closed all of them.
 */
const defaults = {
  connections: 2500,
  /** Requests of the other user before and during the attack. */
  requests: 50,
}

type IdleConnectionsReport = {
  connections: number
  medianMsBefore: number
  medianMsDuring: number
  slowestMsDuring: number
  /** Open handles of the server before, during and after. */
  handles: number[]
  faults: string[]
}

const openings = [
  '',
  'GET / HT',
  'GET / HTTP/1.1\r\nhost: x\r\nx-',
  'NONSENSE\r\n\r\n',
  'POST /api/v1/session HTTP/1.1\r\n',
]
const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']

export async function runIdleConnections(given: Partial<typeof defaults> = {}): Promise<IdleConnectionsReport> {
  const { connections, requests } = { ...defaults, ...given }
  const faults: string[] = []
  const service = await startService()
  const sockets: Socket[] = []
  const port = Number(new URL(service.url).port)
  const handles: number[] = []
  const countHandles = () => handles.push(readdirSync(`/proc/${service.pid}/fd`).length)

  async function delays(): Promise<number[]> {
    const all: number[] = []
    for (let n = 0; n < requests; n++) {
      const startedAt = performance.now()
      const status = await ask(`${service.url}/api/v1/setup`)
      if (status !== 200) faults.push(`request ${n} was answered with ${status}`)
      all.push(performance.now() - startedAt)
    }
    return all.toSorted((a, b) => a - b)
  }

  try {
    await delays()
    const before = await delays()
    countHandles()
    for (let n = 0; n < connections; n++) {
      // Half of them come from one address.
      const localAddress = n % 2 === 0 ? addresses[0]! : addresses[n % addresses.length]!
      const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: n % 4 < 2 })
      socket.on('error', () => {})
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
      socket.write(openings[n % openings.length]!)
      socket.resume()
      sockets.push(socket)
    }
    const during = await delays()
    countHandles()
    for (const socket of sockets) socket.destroy()
    while (readdirSync(`/proc/${service.pid}/fd`).length > handles[0]! + 10) await ask(`${service.url}/healthz`)
    countHandles()
    const median = (all: number[]) => Math.round(all[Math.floor(all.length / 2)]! * 100) / 100
    return {
      connections,
      medianMsBefore: median(before),
      medianMsDuring: median(during),
      slowestMsDuring: Math.round(during.at(-1)!),
      handles,
      faults,
    }
  } finally {
    for (const socket of sockets) socket.destroy()
    await service.destroy()
  }
}

/** Sends a request over its own connection; returns the status. */
async function ask(url: string): Promise<number | undefined> {
  const [answer] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode
}

if (import.meta.main) await runAlone(defaults, runIdleConnections)
