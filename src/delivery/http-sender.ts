import { lookup as lookUp } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Agent, request } from 'undici'
import { AppError } from '../core/errors.ts'
import type { AddressGuard } from '../core/url/address.ts'
import { type HttpSender, type SendLimits, usualLimits } from './channel-agent.ts'

/** Enough to understand a response. */
const MAX_ANSWER_BYTES = 64 * 1024

/**
 * Sends requests to addresses that the guard allows. Names are resolved here, and the socket connects to the very address that was checked.
 * Redirects are not followed: they could lead anywhere, and a receiver can name its true address.
 */
export type GuardedNetwork = {
  send: HttpSender
  /** Resolves to an address of the host that the guard allows. */
  resolve(host: string): Promise<string>
  /** Aborts requests in progress. */
  close(): Promise<void>
}

export function createHttpSender(
  guard: AddressGuard,
  { connectMs, answerMs }: SendLimits = usualLimits,
): GuardedNetwork {
  async function allowed(host: string) {
    const found = isIP(host) === 0 ? await lookUp(host, { all: true }) : [{ address: host, family: isIP(host) }]
    const open = found.filter(({ address }) => guard.check(address, host).kind === 'allowed')
    if (open.length === 0)
      throw new AppError(
        'address-refused',
        `${host} is in a private network; an administrator can allow it with delivery.allow`,
      )
    return open
  }

  const agent = new Agent({
    connections: 4,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    connect: {
      timeout: connectMs,
      lookup(host, options, done) {
        allowed(host).then(
          (open) => (options.all === true ? done(null, open) : done(null, open[0]!.address, open[0]!.family)),
          (error) => done(error, []),
        )
      },
    },
  })

  return {
    async send({ url, method, headers, body }) {
      const { hostname } = new URL(url)
      const host = hostname.replace(/^\[|\]$/g, '')
      // Literal addresses aren't looked up, so they are checked here.
      if (isIP(host) !== 0) await allowed(host)
      const answer = await request(url, {
        ...{ method, headers, body, dispatcher: agent, signal: AbortSignal.timeout(connectMs + answerMs) },
      })
      const text = await beginning(answer.body)
      const shown = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
      return { status: answer.statusCode, headers: new Map(shown), text }
    },
    resolve: async (host) => (await allowed(host))[0]!.address,
    close: () => agent.destroy(),
  }
}

/** Reads the start of a body. The status is decisive: a body that breaks off or hangs changes nothing and must not cause a retry. */
async function beginning(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  try {
    for await (const piece of body) {
      pieces.push(piece)
      length += piece.length
      if (length > MAX_ANSWER_BYTES) break
    }
  } catch {
    // Use what has arrived so far.
  }
  body.destroy()
  return Buffer.concat(pieces).subarray(0, MAX_ANSWER_BYTES).toString('utf8')
}
