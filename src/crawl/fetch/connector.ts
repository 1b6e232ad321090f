import { connect as connectTcp, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { type AddressGuard, familyOf } from '../../core/url/address.ts'
import type { DnsCache } from '../dns/dns-cache.ts'
import { connectFailure } from './failure.ts'

export type TlsOptions = Pick<ConnectionOptions, 'ca' | 'rejectUnauthorized' | 'minVersion'>

export type ConnectTarget = { host: string; port: number; secure: boolean }

/** One attempt to connect to a host, shared with its owner. */
export type Attempt = {
  /** The address being tried, or reached. */
  address: string | null
  /** The socket until it is handed over. */
  socket: Socket | null
  /** Set by the owner to give up: the next address is not tried. */
  cancelled: boolean
  /** The TLS session of the last connection, which makes the next handshake cheaper. */
  session: Buffer | null
}

/**
 * Bytes are read into one buffer for all connections of the thread, which saves an allocation and a copy per read. `take` must copy what
 * it needs before it returns: the next read of any connection overwrites the buffer.
 */
export type Reads = { take: (chunk: Buffer) => void }

export type Connected = { socket: Socket; reads: Reads }

export type Connector = (target: ConnectTarget, attempt: Attempt) => Promise<Connected>

/** Enough to read most pages in one call. */
const readBytes = 256 << 10

type ConnectorDeps = {
  dns: DnsCache
  guard: AddressGuard
  clock: Clock
  connectTimeoutMs: number
  tls?: TlsOptions | undefined
}

/** The addresses of a host that the guard lets through. Throws `dns-not-found`, `dns-failed` or `address-refused`. */
export async function allowedAddresses(
  host: string,
  { dns, guard }: { dns: DnsCache; guard: AddressGuard },
): Promise<string[]> {
  const answer = await dns.lookup(host)
  if (answer.kind === 'not-found') throw new AppError('dns-not-found', `${host} has no address`)
  if (answer.kind === 'failed') throw new AppError('dns-failed', `${host}: ${answer.reason}`)
  let refusal = ''
  const allowed = answer.addresses.filter((address) => {
    const verdict = guard.check(address, host)
    if (verdict.kind === 'refused') refusal = `${address} is refused: ${verdict.range}`
    return verdict.kind === 'allowed'
  })
  if (allowed.length === 0) throw new AppError('address-refused', refusal)
  return allowed
}

const maxTries = 4
/** Consecutive failures after which IPv6 is assumed not to work here: IPv4 goes first until an IPv6 address answers. */
const v6PatienceFailures = 3

/**
 * Connects to hosts. The name is resolved here and nowhere else, each address is checked at this moment, and the
 * socket is given the checked address itself: between the check and the connection no name server is asked again.
 * A name with allowed and refused addresses is reached over the allowed ones only.
 */
export function createConnector({ dns, guard, clock, connectTimeoutMs, tls }: ConnectorDeps): Connector {
  let v6Failures = 0
  const readBuffer = Buffer.allocUnsafeSlow(readBytes)

  async function addressesOf(host: string): Promise<string[]> {
    const allowed = await allowedAddresses(host, { dns, guard })
    const v6 = allowed.filter((address) => familyOf(address) === 6)
    const v4 = allowed.filter((address) => familyOf(address) === 4)
    return (v6Failures < v6PatienceFailures ? interleave(v6, v4) : [...v4, ...v6]).slice(0, maxTries)
  }

  return async (target, attempt) => {
    const deadline = clock.monotonic() + connectTimeoutMs
    const addresses = await addressesOf(target.host)
    let failure: unknown
    for (let i = 0; i < addresses.length && !attempt.cancelled; i++) {
      const address = addresses[i]!
      // The remaining time is divided among the addresses, so that one dead address can't use it all.
      const shareMs = Math.max(1, (deadline - clock.monotonic()) / (addresses.length - i))
      attempt.address = address
      try {
        const connected = await openSocket(target, address, shareMs, { attempt, tls, readBuffer })
        if (familyOf(address) === 6) v6Failures = 0
        return connected
      } catch (error) {
        failure = error
        if (familyOf(address) === 6) v6Failures++
        if (error instanceof AppError && error.code === 'tls-failed') break
      }
    }
    throw failure ?? new AppError('connect-failed', 'the connection was given up')
  }
}

type Opening = { attempt: Attempt; tls: TlsOptions | undefined; readBuffer: Buffer }

function openSocket(
  target: ConnectTarget,
  address: string,
  timeoutMs: number,
  { attempt, tls, readBuffer }: Opening,
): Promise<Connected> {
  return new Promise((resolve, reject) => {
    // No request was sent yet: a server that speaks first does not speak HTTP.
    const reads: Reads = { take: () => void socket.destroy() }
    const onread = {
      buffer: readBuffer,
      callback(bytes: number) {
        reads.take(readBuffer.subarray(0, bytes))
        return true
      },
    }
    const place = { host: address, port: target.port, onread }
    const socket = target.secure
      ? connectTls({ ...tls, ...secureOptions(target.host, attempt), ...place })
      : connectTcp({ ...place, noDelay: true })
    const ready = target.secure ? 'secureConnect' : 'connect'
    let securing = false
    const timer = setTimeout(() => {
      const step = securing ? 'TLS handshake' : 'connection'
      onError(new AppError('connect-timeout', `no ${step} with ${address} within ${Math.round(timeoutMs)} ms`))
    }, timeoutMs)
    attempt.socket = socket

    function settle() {
      clearTimeout(timer)
      attempt.socket = null
      socket.off(ready, onReady).off('error', onError).off('close', onClose)
    }
    function onReady() {
      settle()
      resolve({ socket, reads })
    }
    function onError(error: Error) {
      settle()
      socket.destroy()
      reject(error instanceof AppError ? error : connectFailure(error, securing))
    }
    function onClose() {
      onError(new AppError('connect-failed', `the connection to ${address} was closed before it was ready`))
    }

    // One error listener stays: an error before the client takes over must not end the process.
    socket.on('error', ignore).once(ready, onReady).once('error', onError).once('close', onClose)
    if (!target.secure) return
    socket.setNoDelay(true).once('connect', () => {
      securing = true
    })
    socket.on('session', (session: Buffer) => {
      attempt.session = session
    })
  })
}

function secureOptions(host: string, attempt: Attempt): ConnectionOptions {
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  return {
    // SNI is for names only; an address is checked against the certificate as the host itself.
    servername: familyOf(name) === 0 ? name : '',
    ALPNProtocols: ['http/1.1'],
    ...(attempt.session === null ? {} : { session: attempt.session }),
  }
}

function interleave(first: string[], second: string[]): string[] {
  return Array.from({ length: Math.max(first.length, second.length) }, (_, i) => [first[i], second[i]])
    .flat()
    .filter((address) => address !== undefined)
}

function ignore(): void {}
