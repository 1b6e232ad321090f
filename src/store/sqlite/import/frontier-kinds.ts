import { hostKey, partitionOf } from '../../../core/url/partition.ts'
import type { ImportRow } from '../../contracts/import.ts'
import type { HostAliases } from './host-aliases.ts'
import {
  importedHostId,
  importedInShard,
  importedMark,
  plainRow,
  type Raw,
  type ShardPlace,
  type SourceKind,
} from './source-kind.ts'

export type FrontierContext = ShardPlace & { aliases: HostAliases }

type FrontierKind = SourceKind<FrontierContext>

/** The imported id of the row's host, also if the host is merged with that of another shard. */
function hostIdOf(raw: Raw, context: FrontierContext): number {
  const id = raw.host as number
  return context.aliases.of(context.shard, id) ?? importedHostId(id, context, raw.host_name as string | null)
}

function partitionOfRow(raw: Raw): number {
  return raw.host_name === null ? 0 : partitionOf(raw.host_name as string)
}

function ofHost(raw: Raw, context: FrontierContext, flags: readonly string[] = []): ImportRow {
  return { ...plainRow(raw, flags, ['host_name']), partition: partitionOfRow(raw), host: hostIdOf(raw, context) }
}

/** The frontier of one shard. */
export const frontierKinds: readonly FrontierKind[] = [
  {
    kind: 'hosts',
    table: 'hosts',
    keys: [['id', 'plain']],
    columns: 'id, host, run, queued, accepted, given_up, next_at, failures, rests',
    from: 'FROM hosts',
    toRow(raw, context) {
      const id = raw.id as number
      const host = raw.host as string
      if (context.aliases.of(context.shard, id) !== null) return null
      const row = plainRow(raw, ['given_up'])
      return {
        ...context.aliases.merged(row, host),
        partition: partitionOf(host),
        id: importedHostId(id, context, host),
      }
    },
    portionRows: 2_000,
  },
  {
    kind: 'seen',
    table: 'seen',
    keys: [
      ['s.host', 'plain'],
      ['s.fp', 'wide'],
    ],
    columns: 's.host, CAST(s.fp AS TEXT) AS fp, s.run, s.depth, h.host AS host_name',
    from: 'FROM seen s LEFT JOIN hosts h ON h.id = s.host',
    toRow(raw, context) {
      if (context.aliases.hasSeen(context.shard, raw.host as number, raw.fp as string)) return null
      return ofHost(raw, context)
    },
    portionRows: 5_000,
  },
  {
    kind: 'queue',
    table: 'queue',
    keys: [
      ['q.host', 'plain'],
      ['q.priority', 'plain'],
      ['q.seq', 'plain'],
    ],
    columns: `q.host, q.priority, q.seq, CAST(q.fp AS TEXT) AS fp, q.depth, q.hops, q.redirects, q.attempts, q.url, q.parent, q.watch,
      q.round, q.fresh_from, q.since, q.first, h.host AS host_name`,
    from: 'FROM queue q LEFT JOIN hosts h ON h.id = q.host',
    toRow: (raw, context) => ({
      ...ofHost(raw, context, ['first']),
      seq: importedInShard(raw.seq as number, context),
      since: importedMark(raw.since as number),
    }),
    portionRows: 2_000,
  },
  {
    kind: 'robots',
    table: 'robots',
    keys: [['origin', 'plain']],
    columns: 'origin, kind, body, expires_at',
    from: 'FROM robots',
    toRow(raw, { shard, aliases }) {
      const origin = raw.origin as string
      if (aliases.hasRobots(shard, origin)) return null
      return { ...plainRow(raw), partition: partitionOf(hostKey(`${origin}/`)) }
    },
    portionRows: 200,
  },
]
