import { partitionOf } from '../../../core/url/partition.ts'
import type { Sender } from '../connection/pool.ts'
import { byPartition, textArray } from '../connection/row-batch.ts'

/**
 * Looks up the partition in which the documents of a host are kept. It is the host's own, except for hosts whose documents were stored when
 * all hosts of a domain were in one partition: ids carry the partition, and people and other programs know them, so these documents, and
 * later ones of the same hosts, stay where they are. The frontier has no such exceptions.
 *
 * Exceptions are created by a migration (schema/host-moves.ts) and never later: if the first query finds none, the database isn't asked
 * again.
 */
export type HostPlaces = {
  /** Looks hosts up; resolves to a function that returns their partitions. */
  of(hosts: Iterable<string>): Promise<(host: string) => number>
  one(host: string): Promise<number>
}

export const placeStatements = {
  any: 'SELECT EXISTS (SELECT 1 FROM host_places) AS any',
  find: 'SELECT host, place FROM host_places WHERE partition = $1::smallint AND host = ANY($2::text[])',
} as const

const MAX_KNOWN = 20_000

export function createHostPlaces(sender: Sender): HostPlaces {
  let hasAny: Promise<boolean> | null = null
  const known = new Map<string, number>()

  async function lookForAny(): Promise<boolean> {
    const [row] = await sender.query<{ any: boolean }>(placeStatements.any)
    return row!.any
  }

  async function look(hosts: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    await Promise.all(
      [...byPartition(hosts, partitionOf)].map(async ([partition, group]) => {
        type Row = { host: string; place: number }
        for (const host of group) found.set(host, partition)
        for (const { host, place } of await sender.query<Row>(placeStatements.find, [partition, textArray(group)]))
          found.set(host, place)
      }),
    )
    return found
  }

  const places: HostPlaces = {
    one: async (host) => (await places.of([host]))(host),
    async of(hosts) {
      // After a failure, the next caller asks again.
      hasAny ??= lookForAny().catch((error: unknown) => {
        hasAny = null
        throw error
      })
      if (!(await hasAny)) return partitionOf
      const asked = new Map<string, number>()
      const unknown: string[] = []
      for (const host of new Set(hosts)) {
        const place = known.get(host)
        if (place === undefined) unknown.push(host)
        else asked.set(host, place)
      }
      if (known.size + unknown.length > MAX_KNOWN) known.clear()
      for (const [host, place] of unknown.length === 0 ? [] : await look(unknown)) {
        known.set(host, place)
        asked.set(host, place)
      }
      return (host) => asked.get(host) ?? partitionOf(host)
    },
  }
  return places
}
