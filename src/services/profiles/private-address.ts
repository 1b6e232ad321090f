import { createAddressGuard } from '../../core/url/address.ts'

/** Why a source can't be fetched here; null for one that may be. Names are resolved later, by whoever fetches them. */
export type PrivateAddress = (uri: string) => string | null

/** Says at adding what would otherwise be found out at the first check. */
export function createPrivateAddress(allow: readonly string[]): PrivateAddress {
  const guard = createAddressGuard({ allow })
  return (uri) => {
    const host = URL.canParse(uri) ? new URL(uri).hostname.replace(/^\[|\]$/g, '') : ''
    const isLocal = host === 'localhost' || host.endsWith('.localhost')
    const isAddress = /^[\d.]+$/.test(host) || host.includes(':')
    if (!isLocal && !isAddress) return null
    const verdict = guard.check(isLocal ? '127.0.0.1' : host)
    if (verdict.kind === 'allowed') return null
    return `${host} is in a private network (${verdict.range}), from which nothing is fetched here. An administrator can allow it with the setting network.allow, or by starting with --allow-net`
  }
}
