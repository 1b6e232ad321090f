import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { loadPart } from '../parts/load-part.ts'
import { createOsResolver, createSystemResolver, type Resolver } from './resolver.ts'

/** The resolver named in the settings: a built-in one, or one from a file. */
export async function chooseResolver(
  { parts, network }: Pick<Config, 'parts' | 'network'>,
  clock: Clock,
): Promise<Resolver> {
  switch (parts.resolver) {
    case 'system':
      return createSystemResolver({ clock, servers: network.nameservers })
    case 'os':
      return createOsResolver()
    default:
      return (await loadPart('resolver', parts.resolver)).create({ clock })
  }
}
