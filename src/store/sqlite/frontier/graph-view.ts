import type { GraphNode, GraphView, LinkGraph } from '../../contracts/graph-view.ts'
import { createEdges, isShownSql, type Places, placesOf, stateOf, targetsOfKeys } from '../../rules/link-graph.ts'
import { unpackLinks } from '../../rules/link-text.ts'
import type { Database } from '../folder/database.ts'
import { createTurns, type Turns } from '../folder/database.ts'

const MAX_NODES = 5_000
const MAX_MS = 2_000
const PORTION = 100
const LEAST_FP = -(2n ** 63n)

type NodeRow = {
  id: bigint
  fp: bigint
  host: string
  url: string
  parent: string
  status: bigint
  outcome: string
  location: string
  links: bigint
  title: string
  reason: string
}

const columns = `d.id, d.fp, d.host, d.url, d.parent, d.status, d.outcome, d.location, coalesce(v.links, 0) AS links,
  coalesce(v.title, '') AS title, coalesce(v.reason, '') AS reason
  FROM documents d LEFT JOIN versions v ON v.id = d.version`

export function createSqliteGraphView(db: Database): GraphView {
  const newest = db.prepare(`SELECT ${columns} WHERE d.id < ? AND ${isShownSql} ORDER BY d.id DESC LIMIT ?`)
  const ofHost = db.prepare(`SELECT ${columns} WHERE d.host = ? AND d.fp > ? AND ${isShownSql} ORDER BY d.fp LIMIT ?`)
  const keys = db.prepare('SELECT keys FROM links WHERE id = ?')
  const list = db.prepare('SELECT list FROM links WHERE id = ?')
  // Fingerprints use all 64 bits, more than a JavaScript number can hold.
  newest.setReadBigInts(true)
  ofHost.setReadBigInts(true)

  async function readNodes(
    host: string | null,
    limit: number,
    turns: Turns,
  ): Promise<{ rows: NodeRow[]; more: boolean }> {
    const rows: NodeRow[] = []
    while (await turns.next()) {
      // Reads one more than requested, to tell whether there are more.
      const wanted = Math.min(PORTION, limit + 1 - rows.length)
      const last = rows.at(-1)
      const found = db.read(() =>
        host === null
          ? newest.all(last?.id ?? Number.MAX_SAFE_INTEGER, wanted)
          : ofHost.all(host, last?.fp ?? LEAST_FP, wanted),
      ) as unknown as NodeRow[]
      rows.push(...found)
      if (found.length < wanted) return { rows, more: false }
      if (rows.length > limit) break
    }
    return { rows: rows.slice(0, limit), more: true }
  }

  /** Uses the keys of links, which need no parsing; only links stored by early versions have none. */
  function targetsOf({ links, url }: NodeRow, places: Places): number[] {
    const packed = db.read(() => keys.get(links)) as { keys: Uint8Array } | undefined
    if (packed === undefined) return []
    if (packed.keys.length > 0) return targetsOfKeys(packed.keys, places)
    const { list: text } = db.read(() => list.get(links)) as { list: string }
    return unpackLinks(text, url).flatMap((link) => places.ofUrl.get(link) ?? [])
  }

  return {
    async graph({ host, limit }): Promise<LinkGraph> {
      const turns = createTurns({ maxMs: MAX_MS })
      const { rows, more } = await readNodes(host, Math.min(limit, MAX_NODES), turns)
      const places = placesOf(rows)
      const edges = createEdges(rows.length)
      for (const [place, row] of rows.entries()) {
        if (edges.isFull() || !(await turns.next())) return { nodes: rows.map(nodeOf), edges: edges.list, more: true }
        edges.add(places.ofUrl.get(row.parent), place)
        if (row.location !== '') edges.add(place, places.ofUrl.get(row.location))
        if (row.links > 0n) for (const target of targetsOf(row, places)) edges.add(place, target)
      }
      return { nodes: rows.map(nodeOf), edges: edges.list, more: more || edges.isFull() }
    },
  }
}

function nodeOf({ id, url, host, title, status, outcome, reason }: NodeRow): GraphNode {
  return { document: Number(id), url, host, title, status: Number(status), state: stateOf(outcome, reason) }
}
