import { readFile } from 'node:fs/promises'
import { parseAddress } from '../../core/address.ts'
import type { Clock } from '../../core/clock.ts'

const maxHostsBytes = 4 << 20
const rereadMs = 60_000

export type HostsFile = { addressesOf(name: string): Promise<string[] | undefined> }

export const systemHostsPath =
  process.platform === 'win32' ? `${process.env.SystemRoot}\\System32\\drivers\\etc\\hosts` : '/etc/hosts'

/** The hosts file, read again after a minute so that a long crawl sees an edit. A missing file has no names. */
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
