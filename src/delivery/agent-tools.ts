import type { Clock } from '../core/clock.ts'
import type { AddressGuard } from '../core/url/address.ts'
import { type AgentTools, type PushKeys, usualLimits } from './channel-agent.ts'
import { createHttpSender } from './http-sender.ts'

export type AgentToolsDeps = {
  /** Decides which addresses may be connected to; `delivery.allow` and `network.allow` open private networks. */
  guard: AddressGuard
  mail: AgentTools['mail']
  commands: readonly string[]
  pushKeys: PushKeys
  /** The public address of this service. */
  url: string
  clock: Clock
}

/** The tools that the agents of one process share. `close` ends the connections that are kept open. */
export function createAgentTools({ guard, mail, commands, pushKeys, url, clock }: AgentToolsDeps): {
  tools: AgentTools
  close(): Promise<void>
} {
  const network = createHttpSender(guard)
  const subject =
    mail.from !== '' ? `mailto:${mail.from}` : /^https:/i.test(url) ? url : 'mailto:operator@erace.invalid'
  return {
    tools: {
      http: network.send,
      resolve: network.resolve,
      mail,
      commands,
      push: { ...pushKeys, subject },
      limits: usualLimits,
      clock,
    },
    close: network.close,
  }
}
