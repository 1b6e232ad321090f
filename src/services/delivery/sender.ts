import { withinLimit } from '../../core/work/race.ts'
import type { AgentTools, ChannelAgent, SendOutcome, Settings } from '../../delivery/channel-agent.ts'
import type { Message } from '../../delivery/render/message.ts'
import type { AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { Channel } from '../../store/contracts/channels.ts'

/** Hands a message to the agent of its channel. Errors of the agent become an outcome. */
export type Sender = (channel: Channel, message: Message) => Promise<SendOutcome>

export type SenderDeps = {
  agents: ReadonlyMap<string, ChannelAgent>
  tools: AgentTools
  accounts: Pick<AccountStore, 'findByEmail'>
  /** Overall timeout on top of the agents' own limits, for receivers that trickle data. */
  maxMs?: number
}

const MAX_SEND_MS = 120_000

export function createSender({ agents, tools, accounts, maxMs = MAX_SEND_MS }: SenderDeps): Sender {
  return async ({ kind, owner, settings }, message) => {
    const agent = agents.get(kind)
    // Another server of the cluster may be newer and know it.
    if (agent === undefined) return { kind: 'later', reason: `this version of eRACE has no channels of kind ${kind}` }
    if (agent.isForAdministrators === true && (await accounts.findByEmail(owner))?.role !== 'administrator')
      return { kind: 'never', reason: 'only administrators can use this kind of channel' }
    try {
      const sending = agent.send(message, settings as Settings, tools)
      return await withinLimit(sending, maxMs, () => ({ kind: 'later', reason: 'no answer in time' }))
    } catch (error) {
      return { kind: 'later', reason: error instanceof Error ? error.message : String(error) }
    }
  }
}
