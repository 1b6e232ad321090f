import type { Config } from '../config/config.ts'
import type { Protocols, ProtocolTools } from '../crawl/fetch/protocol.ts'

type ProtocolSettings = Pick<Config, 'files' | 'browser' | 'parts'>

/**
 * The protocols of a crawling thread. Most crawls need only the web's: the others, a fifth of all the code a thread would load, are loaded
 * with the first source that needs one. Modules of the configuration are loaded now. Throws `part-invalid`.
 */
export async function openShardProtocols(
  config: ProtocolSettings,
  seeds: readonly string[],
): Promise<(tools: ProtocolTools) => Promise<Protocols>> {
  const load = () => import('./protocols.ts')
  if (config.parts.protocols.length > 0) await (await load()).loadProtocols(config)
  return async (tools) => {
    const { createProtocols, withSeedFolders } = await load()
    return createProtocols(withSeedFolders(config, seeds))(tools)
  }
}
