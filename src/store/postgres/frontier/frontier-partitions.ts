import type { PartitionGrant } from '../../contracts/partition-leases.ts'
import type { FrontierFacts } from './frontier-rows.ts'

/** A partition that this shard holds. */
export type HeldPartition = PartitionGrant & {
  /** Requests up to this number were told to whoever listens. Later ones are not handed out before they are. */
  told: number
  facts: FrontierFacts
  /** When the last thing asked for this partition is over. */
  turn: Promise<unknown>
  /** A look at what others have queued that has not begun yet. */
  look: Promise<void> | null
  isDropped: boolean
}

export const partitionOfId = (id: number): number => id % 256

/**
 * The partitions of a shard. What it does to one of them is done in turn, so that answers come in the order of what they tell;
 * different partitions wait for nobody.
 */
export function createHeldPartitions() {
  const held = new Map<number, HeldPartition>()
  return {
    get: (partition: number): HeldPartition | undefined => held.get(partition),
    ofHost: (hostId: number): HeldPartition | undefined => held.get(partitionOfId(hostId)),
    all: (): HeldPartition[] => [...held.values()],
    numbers: (): number[] => [...held.keys()],
    add(grant: PartitionGrant, facts: FrontierFacts): HeldPartition {
      const earlier = held.get(grant.partition)
      if (earlier !== undefined) earlier.isDropped = true
      const added: HeldPartition = {
        ...grant,
        told: facts.seq,
        facts,
        turn: earlier?.turn ?? Promise.resolve(),
        look: null,
        isDropped: false,
      }
      held.set(grant.partition, added)
      return added
    },
    /** Returns what was dropped. */
    drop(partition: number, epoch?: number): HeldPartition | undefined {
      const found = held.get(partition)
      if (found === undefined || (epoch !== undefined && found.epoch !== epoch)) return undefined
      held.delete(partition)
      found.isDropped = true
      return found
    },
    inTurn<T>(partition: HeldPartition, work: () => Promise<T>): Promise<T> {
      const result = partition.turn.then(work)
      partition.turn = result.catch(() => {})
      return result
    },
  }
}

export type HeldPartitions = ReturnType<typeof createHeldPartitions>
