import { partitionCount } from '../../../core/url/partition.ts'

/**
 * The epochs under which a process holds partitions, in memory that its threads share: those who hold the leases write, those who write to
 * the store on behalf of a partition read. Zero stands for none. It may lag by a moment, so the store has the last word.
 */
export type EpochMemory = SharedArrayBuffer

export type HeldEpochs = ReturnType<typeof openEpochs>

export function createEpochMemory(): EpochMemory {
  return new SharedArrayBuffer(partitionCount * BigInt64Array.BYTES_PER_ELEMENT)
}

export function openEpochs(memory: EpochMemory) {
  const epochs = new BigInt64Array(memory)
  return {
    set: (partition: number, epoch: number): void => void Atomics.store(epochs, partition, BigInt(epoch)),
    /** Does nothing if another thread of this process has taken the partition since. */
    clear: (partition: number, epoch: number): void =>
      void Atomics.compareExchange(epochs, partition, BigInt(epoch), 0n),
    epochOf: (partition: number): number => Number(Atomics.load(epochs, partition)),
    held(): number[] {
      const held: number[] = []
      for (let partition = 0; partition < partitionCount; partition++)
        if (Atomics.load(epochs, partition) !== 0n) held.push(partition)
      return held
    },
  }
}
