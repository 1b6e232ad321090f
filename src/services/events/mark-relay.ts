import type { ClusterEvents } from '../../store/contracts/cluster/events.ts'
import type { Marks } from '../../store/contracts/inbox.ts'

/**
 * Publishes marks set in one process to the listeners of the others. A lost notification does no lasting harm: a process that lost its
 * connection tells its listeners to reload.
 */
export type MarkRelay = {
  tell(owner: string, ids: readonly number[] | null, marks: Marks): void
  /** Calls `take` for marks set by other processes. */
  follow(take: (owner: string, ids: readonly number[] | null, marks: Marks) => Promise<void>): void
}

export type MarkRelayDeps = {
  events: Pick<ClusterEvents, 'listen' | 'notify'>
  /** Names this process among the others. */
  from: string
  onProblem(message: string, fields: Record<string, unknown>): void
}

const CHANNEL = 'marks'
/** A payload has at most 8,000 bytes. */
const MAX_BYTES = 7_500

type Word = { from: string; owner: string; ids: readonly number[] | null; marks: Marks }

export function createMarkRelay({ events, from, onProblem }: MarkRelayDeps): MarkRelay {
  return {
    tell(owner, ids, marks) {
      const whole = JSON.stringify({ from, owner, ids, marks } satisfies Word)
      const isShort = Buffer.byteLength(whole) <= MAX_BYTES
      const word = isShort ? whole : JSON.stringify({ from, owner, ids: null, marks } satisfies Word)
      events
        .notify(CHANNEL, word)
        .catch((error) => onProblem('read marks could not be sent to other processes', { error: String(error) }))
    },
    follow(take) {
      events.listen(CHANNEL, (payload) => {
        if (payload === null) return
        const { from: other, owner, ids, marks } = JSON.parse(payload) as Word
        if (other === from) return
        take(owner, ids, marks).catch((error) =>
          onProblem('read marks could not be announced', { error: String(error) }),
        )
      })
    },
  }
}
