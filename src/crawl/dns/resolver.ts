import type { RecordWithTtl } from 'node:dns'
import { lookup, Resolver as Question } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import type { Clock } from '../../core/clock.ts'
import { parseAddress } from '../../core/url/address.ts'
import { firstOf, withinLimit } from '../../core/work/race.ts'

/**
 * Finds the addresses of a host. An empty list means that the name does not exist or has no address; a rejection means
 * that there was no answer. Replace it to resolve by other means: the cache in front stays the same.
 */
export type Resolver = { resolve(host: string): Promise<{ addresses: string[]; ttlMs: number }> }

export type SystemResolverOptions = {
  clock: Clock
  /** `address:port` of name servers; those of the machine's configuration if absent or empty. */
  servers?: readonly string[]
  hostsPath?: string
  timeoutMs?: number
  tries?: number
}

const localTtlMs = 60_000
/** Once one address family has answered, how long to wait for the other: some name servers never answer for IPv6. */
const graceMs = 300

/**
 * The default resolver asks name servers itself (c-ares) instead of calling `getaddrinfo`. getaddrinfo knows every
 * source of names but returns no time to live, and each call holds one of the four threads that file reads and
 * decompression share: four dead name servers would stop the whole crawl for seconds. Names that only getaddrinfo
 * knows still work: the hosts file is read directly; names without a dot and `.local` names (search domains, mDNS), and
 * all names if no name server can be reached, go to getaddrinfo after all.
 */
export function createSystemResolver(options: SystemResolverOptions): Resolver {
  const { clock, servers = [], hostsPath = systemHostsPath, timeoutMs = 3_000, tries = 2 } = options
  const question = new Question({ timeout: timeoutMs, tries })
  if (servers.length > 0) question.setServers(servers)
  const hosts = createHostsFile({ path: hostsPath, clock })

  async function ask(host: string) {
    const families = [question.resolve6(host, { ttl: true }), question.resolve4(host, { ttl: true })].map(outcomeOf)
    const both = Promise.all(families)
    const first = await firstOf(families)
    const outcomes = first.records.length === 0 ? await both : await withinLimit(both, graceMs, () => [first])
    const records = outcomes.flatMap((outcome) => outcome.records)
    if (records.length === 0) {
      // A failure of one family counts only if the other has no addresses either.
      const failed = outcomes.find(({ failure }) => failure !== undefined && !isAbsence(failure))
      if (failed !== undefined) throw failed.failure
    }
    const ttlSeconds = records.reduce((least, record) => Math.min(least, record.ttl), 86_400)
    return { addresses: records.map((record) => record.address), ttlMs: ttlSeconds * 1000 }
  }

  return {
    async resolve(host) {
      const name = host.endsWith('.') ? host.slice(0, -1) : host
      const known = await hosts.addressesOf(name)
      if (known !== undefined) return { addresses: known, ttlMs: localTtlMs }
      // RFC 6761: these never leave the machine, even if a name server has an answer.
      if (name === 'localhost' || name.endsWith('.localhost')) {
        return { addresses: ['127.0.0.1', '::1'], ttlMs: localTtlMs }
      }
      if (!name.includes('.') || name.endsWith('.local')) return await askSystem(name)
      try {
        return await ask(name)
      } catch (error) {
        if (servers.length === 0 && codeOf(error) === 'ECONNREFUSED') return await askSystem(name)
        throw error
      }
    },
  }
}

/** Asks the operating system for every name, with all its configured sources; four names at a time, in Node's thread pool. */
export function createOsResolver(): Resolver {
  return { resolve: askSystem }
}

async function askSystem(name: string) {
  try {
    const found = await lookup(name, { all: true, order: 'verbatim' })
    return { addresses: found.map((entry) => entry.address), ttlMs: localTtlMs }
  } catch (error) {
    if (isAbsence(error)) return { addresses: [], ttlMs: localTtlMs }
    throw error
  }
}

/** Whether the error is a definite answer that the name doesn't exist or has no address. */
export function isAbsence(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME'
}

type Outcome = { records: RecordWithTtl[]; failure: unknown }

function outcomeOf(question: Promise<RecordWithTtl[]>): Promise<Outcome> {
  return question.then(
    (records) => ({ records, failure: undefined }),
    (failure: unknown) => ({ records: [], failure }),
  )
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

const maxHostsBytes = 4 << 20
const rereadMs = 60_000

export type HostsFile = { addressesOf(name: string): Promise<string[] | undefined> }

export const systemHostsPath =
  process.platform === 'win32' ? `${process.env.SystemRoot}\\System32\\drivers\\etc\\hosts` : '/etc/hosts'

/** The hosts file, read again after a minute so that a long crawl sees edits. A missing file has no names. */
export function createHostsFile({ path, clock }: { path: string; clock: Clock }): HostsFile {
  let names: Promise<Map<string, string[]>> | undefined
  let readAt = 0
  return {
    async addressesOf(name) {
      const now = clock.monotonic()
      if (names === undefined || now - readAt >= rereadMs) {
        readAt = now
        names = readFile(path).then(
          (bytes) => parseHosts(bytes.subarray(0, maxHostsBytes).toString('utf8')),
          () => new Map(),
        )
      }
      return (await names).get(name)
    },
  }
}

export function parseHosts(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (parseAddress(address) === null) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      const known = names.get(name)
      if (known === undefined) names.set(name, [address])
      else if (!known.includes(address)) known.push(address)
    }
  }
  return names
}
