import type { Clock } from '../../core/clock.ts'
import type { DeliveryAgent, DeliveryOutcome } from '../../delivery/agent.ts'
import type { AnnotationStore } from '../../store/contracts/annotations.ts'
import type { OutboxAttempt, OutboxStore } from '../../store/contracts/outbox.ts'

export type DeliveryDeps = {
  outbox: OutboxStore
  annotations: Pick<AnnotationStore, 'find'>
  agents: readonly DeliveryAgent[]
  clock: Clock
}

const LIMIT = 100
const LEASE_MS = 60_000
const FIRST_RETRY_MS = 60_000
const LAST_RETRY_MS = 6 * 3_600_000
const MAX_ATTEMPTS = 12

/**
 * Hands due entries of the outbox to the agents of their channels. What an attempt comes to is written before the next one starts; a
 * process that dies in between repeats the delivery under the same id.
 */
export function createDelivery({ outbox, annotations, agents, clock }: DeliveryDeps) {
  const byKind = new Map(agents.map((agent) => [agent.kind, agent]))

  async function attempt({ annotation: id, channel }: OutboxAttempt): Promise<DeliveryOutcome> {
    const agent = byKind.get(channel.split(':', 1)[0]!)
    if (agent === undefined) return { kind: 'never', reason: `no agent delivers to ${channel}` }
    const annotation = await annotations.find(id)
    if (annotation === null) return { kind: 'never', reason: 'the annotation was removed' }
    try {
      return await agent.deliver({ id: `${id}:${channel}`, channel, annotation })
    } catch (error) {
      return { kind: 'later', reason: error instanceof Error ? error.message : String(error) }
    }
  }

  async function conclude(taken: OutboxAttempt, outcome: DeliveryOutcome): Promise<void> {
    const now = clock.now()
    if (outcome.kind === 'delivered') await outbox.complete(taken, now)
    else if (outcome.kind === 'never' || taken.attempt >= MAX_ATTEMPTS)
      await outbox.giveUp(taken, { now, reason: outcome.reason })
    else {
      const waitMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (taken.attempt - 1))
      await outbox.retry(taken, { at: now + Math.max(waitMs, outcome.afterMs ?? 0), reason: outcome.reason })
    }
  }

  return {
    /** Delivers what is due. Returns how many attempts were made. */
    async deliverDue(): Promise<number> {
      const due = await outbox.take({ now: clock.now(), limit: LIMIT, leaseMs: LEASE_MS })
      for (const taken of due) await conclude(taken, await attempt(taken))
      return due.length
    },
  }
}
