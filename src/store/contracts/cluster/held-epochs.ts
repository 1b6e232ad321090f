import { partitionCount } from '../../../core/url/partition.ts'

/**
 * The epochs under which a process holds partitions, in memory shared by its threads: the threads that hold the leases write it, those
 * that write to the store on behalf of a partition read it. Zero means not held. It may lag, so the store makes the final check.
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
