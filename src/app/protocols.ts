import type { Config } from '../config/config.ts'
import type { Protocols, ProtocolTools } from '../crawl/fetch/protocol.ts'

/** All protocols of this version beside the web's own, as the settings have them. */
export function createProtocols(_config: Config): (tools: ProtocolTools) => Protocols {
  return () => ({ others: [], browser: null })
}
