import { partitionCount, partitionOf } from '../../../core/partition.ts'

/**
 * How numbers of a data folder are spelled in a shared store, without a table: an id of there has its partition in the low eight bits.
 * The order of ids stays, for those above come from the folder, where each is given out once.
 */

/** The id of what belongs to a host; null where nobody knows any more whose it was. 0 stands for none. */
export function importedId(id: number, host: string | null): number {
  return id === 0 ? 0 : id * partitionCount + (host === null ? 0 : partitionOf(host))
}

/** A mark stands behind all versions that were there: those with its own number have any partition. */
export function importedMark(mark: number): number {
  return mark === 0 ? 0 : mark * partitionCount + partitionCount - 1
}

/** Each shard counts for itself, so its number is part of the new one. */
export type ShardPlace = { shard: number; shards: number }

export function importedInShard(n: number, { shard, shards }: ShardPlace): number {
  return n * shards + shard
}

export function importedHostId(id: number, place: ShardPlace, host: string | null): number {
  return importedInShard(id, place) * partitionCount + (host === null ? 0 : partitionOf(host))
}

/** The number in the folder of an id that is not a host's. */
export const idBeforeImport = (id: number): number => Math.floor(id / partitionCount)
