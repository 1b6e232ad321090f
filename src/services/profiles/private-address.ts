import { createAddressGuard } from '../../core/url/address.ts'

/** Why a source can't be fetched here; null if it can. Host names are resolved later, when fetching. */
export type PrivateAddress = (uri: string) => string | null

/** Rejects private addresses when a source is added instead of at its first check. */
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
