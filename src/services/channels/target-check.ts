import { isIP } from 'node:net'
import type { AddressGuard } from '../../core/url/address.ts'
import type { ChannelAgent, Settings } from '../../delivery/channel-agent.ts'

export type TargetCheckDeps = {
  /** The address guard of deliveries. */
  guard: Pick<AddressGuard, 'check'>
  /** All addresses of a name; throws if there are none. */
  lookUp(host: string): Promise<readonly string[]>
}

export type TargetCheck = {
  /** Addresses in settings to which nothing may be sent; these are rejected. */
  errors(agent: Pick<ChannelAgent, 'settings'>, settings: Settings): { place: string; message: string }[]
  /** Names that resolve to such addresses, or to none. As DNS can change at any time, the channel is still stored. */
  warnings(agent: Pick<ChannelAgent, 'settings'>, settings: Settings): Promise<string[]>
}

/** Reports bad targets when a channel is saved rather than when it is used. Every connection is checked again. */
export function createTargetCheck({ guard, lookUp }: TargetCheckDeps): TargetCheck {
  const refusalOf = (address: string, host?: string): string | null => {
    const verdict = guard.check(address, host)
    return verdict.kind === 'allowed'
      ? null
      : `is in a private network (${verdict.range}); an administrator can allow it with delivery.allow`
  }
  return {
    errors: (agent, settings) =>
      hostsOf(agent, settings).flatMap(({ host, place, shown }) => {
        const address = isLocal(host) ? '127.0.0.1' : host
        const refusal = isIP(address) === 0 ? null : refusalOf(address, host)
        return refusal === null ? [] : [{ place, message: `${shown} ${refusal}` }]
      }),
    async warnings(agent, settings) {
      const warnings: string[] = []
      for (const { host, shown } of hostsOf(agent, settings)) {
        if (isLocal(host) || isIP(host) !== 0) continue
        const found = await lookUp(host).catch(() => [])
        const refusals = found.map((address) => refusalOf(address, host))
        if (found.length === 0) warnings.push(`${shown} can't be found at the moment`)
        else if (!refusals.includes(null)) warnings.push(`${shown} ${refusals[0]}`)
      }
      return warnings
    },
  }
}

const isLocal = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

type Target = { host: string; place: string; shown: string }

/** Hosts named in settings. One in a secret is not shown. */
function hostsOf({ settings: fields }: Pick<ChannelAgent, 'settings'>, settings: Settings): Target[] {
  return fields.flatMap(({ name, type }) => {
    const host = hostOf(Object.hasOwn(settings, name) ? settings[name] : undefined)
    if (host === null) return []
    return [{ host, place: `settings.${name}`, shown: type === 'secret' ? 'this address' : host }]
  })
}

/** The host of a target address; null if the value isn't one. Templates have placeholders, but not in the host. */
export function hostOf(value: unknown): string | null {
  if (typeof value !== 'string' || !/^(https?|smtps?):\/\//i.test(value)) return null
  // The URL parser normalises hosts only for web schemes, so parse others as http.
  const url = URL.parse(value.replace(/^smtps?:/i, 'http:').replaceAll(/\{\{[^}]*\}\}/g, 'x'))
  const host = url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') ?? ''
  return host === '' ? null : host
}
