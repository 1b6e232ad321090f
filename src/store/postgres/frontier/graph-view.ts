import type { GraphNode, GraphView, LinkGraph } from '../../contracts/graph-view.ts'
import { createEdges, isShownSql, placesOf, stateOf, targetsOfKeys } from '../../rules/link-graph.ts'
import { unpackLinks } from '../../rules/link-text.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { createHostPlaces } from '../documents/host-places.ts'

const MAX_NODES = 5_000
/** Link lists read per query; a page may have many thousand links. */
const PORTION = 250

type NodeRow = {
  id: number
  fp: string
  host: string
  url: string
  parent: string
  status: number
  outcome: string
  location: string
  links: number
  title: string
  reason: string
}

type LinkRow = { id: number; keys: Buffer; list: string }

const columns = `d.id, d.fp::text AS fp, d.host, d.url, d.parent, d.status, d.outcome, d.location,
  coalesce(v.links, 0) AS links, coalesce(v.title, '') AS title, coalesce(v.reason, '') AS reason
  FROM documents d LEFT JOIN versions v ON v.partition = d.partition AND v.id = d.version`

const statements = {
  newest: `SELECT ${columns} WHERE ${isShownSql} ORDER BY d.id DESC LIMIT $1`,
  ofHost: `SELECT ${columns} WHERE d.partition = $1 AND d.host = $2 AND ${isShownSql} ORDER BY d.fp LIMIT $3`,
  // Rows of an early version have no keys.
  links: `SELECT l.id, l.keys, CASE WHEN length(l.keys) = 0 THEN l.list ELSE '' END AS list FROM links l
    JOIN unnest($1::bigint[]) AS wanted (id) ON l.partition = wanted.id % 256 AND l.id = wanted.id`,
}

export function createPostgresGraphView(pool: PostgresPool): GraphView {
  const kept = createHostPlaces(pool)
  const readNodes = async (host: string | null, limit: number): Promise<NodeRow[]> =>
    host === null
      ? pool.query<NodeRow>(statements.newest, [limit])
      : pool.query<NodeRow>(statements.ofHost, [await kept.one(host), host, limit])

  return {
    async graph({ host, limit }): Promise<LinkGraph> {
      const wanted = Math.min(limit, MAX_NODES)
      // One more than wanted, to know whether there are more.
      const found = await readNodes(host, wanted + 1)
      const rows = found.slice(0, wanted).map((row) => ({ ...row, fp: BigInt(row.fp) }))
      const nodes = rows.map(nodeOf)
      const places = placesOf(rows)
      const edges = createEdges(rows.length)
      for (const [place, row] of rows.entries()) {
        edges.add(places.ofUrl.get(row.parent), place)
        if (row.location !== '') edges.add(place, places.ofUrl.get(row.location))
      }
      const linking = [...rows.entries()].filter(([, { links }]) => links > 0)
      for (let from = 0; from < linking.length; from += PORTION) {
        if (edges.isFull()) return { nodes, edges: edges.list, more: true }
        const portion = new Map(linking.slice(from, from + PORTION).map(([place, { links }]) => [links, place]))
        for (const { id, keys, list } of await pool.query<LinkRow>(statements.links, [[...portion.keys()]])) {
          const place = portion.get(id)!
          const targets =
            keys.length > 0
              ? targetsOfKeys(keys, places)
              : unpackLinks(list, rows[place]!.url).flatMap((link) => places.ofUrl.get(link) ?? [])
          for (const target of targets) edges.add(place, target)
        }
      }
      return { nodes, edges: edges.list, more: found.length > wanted || edges.isFull() }
    },
  }
}

function nodeOf({ id, url, host, title, status, outcome, reason }: Omit<NodeRow, 'fp'>): GraphNode {
  return { document: id, url, host, title, status, state: stateOf(outcome, reason) }
}
