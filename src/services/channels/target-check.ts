import { isIP } from 'node:net'
import type { AddressGuard } from '../../core/url/address.ts'
import type { ChannelAgent, Settings } from '../../delivery/channel-agent.ts'

export type TargetCheckDeps = {
  /** Of deliveries. */
  guard: Pick<AddressGuard, 'check'>
  /** All addresses of a name; throws where there are none. */
  lookUp(host: string): Promise<readonly string[]>
}

export type TargetCheck = {
  /** Addresses of settings to which nothing may be sent; they are refused. */
  errors(agent: Pick<ChannelAgent, 'settings'>, settings: Settings): { place: string; message: string }[]
  /** Names that lead there now, or nowhere. Others can change that at any time, so their channel is stored. */
  warnings(agent: Pick<ChannelAgent, 'settings'>, settings: Settings): Promise<string[]>
}

/** Says when a channel is saved what would otherwise be found out when it is used. Every connection is checked again. */
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

/** Hosts that settings name. One in a secret is not shown. */
function hostsOf({ settings: fields }: Pick<ChannelAgent, 'settings'>, settings: Settings): Target[] {
  return fields.flatMap(({ name, type }) => {
    const host = hostOf(Object.hasOwn(settings, name) ? settings[name] : undefined)
    if (host === null) return []
    return [{ host, place: `settings.${name}`, shown: type === 'secret' ? 'this address' : host }]
  })
}

/** Of an address that something is sent to; null for what is none. Templates have places, but not in the host. */
export function hostOf(value: unknown): string | null {
  if (typeof value !== 'string' || !/^(https?|smtps?):\/\//i.test(value)) return null
  // Only addresses of the web are written in one way; others are read as if they were of it.
  const url = URL.parse(value.replace(/^smtps?:/i, 'http:').replaceAll(/\{\{[^}]*\}\}/g, 'x'))
  const host = url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') ?? ''
  return host === '' ? null : host
}
