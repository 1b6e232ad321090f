import type { GraphNode, GraphView, LinkGraph } from '../graph-view.ts'
import type { Database } from './database.ts'
import { unpackLinks } from './link-text.ts'
import { createTurns, type Turns } from './turns.ts'

const MAX_NODES = 5_000
/** More than this nobody can tell apart, and a page that links to everything would make millions. */
const MAX_EDGES = 20_000
const MAX_MS = 2_000
const PORTION = 100
const KEY_BYTES = 8
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

export function createEmbeddedGraphView(db: Database): GraphView {
  const newest = db.prepare(`SELECT ${columns} WHERE d.id < ? ORDER BY d.id DESC LIMIT ?`)
  const ofHost = db.prepare(`SELECT ${columns} WHERE d.host = ? AND d.fp > ? ORDER BY d.fp LIMIT ?`)
  const keys = db.prepare('SELECT keys FROM links WHERE id = ?')
  const list = db.prepare('SELECT list FROM links WHERE id = ?')
  // Fingerprints use all 64 bits, more than a number holds.
  newest.setReadBigInts(true)
  ofHost.setReadBigInts(true)

  async function readNodes(
    host: string | null,
    limit: number,
    turns: Turns,
  ): Promise<{ rows: NodeRow[]; more: boolean }> {
    const rows: NodeRow[] = []
    while (await turns.next()) {
      // One more than is wanted tells whether there are more.
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

  /** Their keys say where links lead without being read as text; only what an early version kept has none. */
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

type Places = { ofUrl: Map<string, number>; ofKey: Map<number, number> }

function placesOf(rows: readonly NodeRow[]): Places {
  const ofUrl = new Map<string, number>()
  const ofKey = new Map<number, number>()
  for (const [place, { url, fp }] of rows.entries()) {
    ofUrl.set(url, place)
    ofKey.set(shortKey(Number(BigInt.asUintN(32, fp >> 32n)), Number(BigInt.asUintN(32, fp))), place)
  }
  return { ofUrl, ofKey }
}

/** 52 of the 64 bits make a number that is quickly looked up; among some thousand documents they are as good as all. */
const shortKey = (hi: number, lo: number): number => hi * 2 ** 20 + (lo >>> 12)

/** High word, then low word, each in the order of this machine. */
function targetsOfKeys(bytes: Uint8Array, { ofKey }: Places): number[] {
  const words = new Uint32Array(bytes.slice().buffer, 0, Math.floor(bytes.length / KEY_BYTES) * 2)
  const found: number[] = []
  for (let at = 0; at < words.length; at += 2) {
    const place = ofKey.get(shortKey(words[at]!, words[at + 1]!))
    if (place !== undefined) found.push(place)
  }
  return found
}

/** Each edge once, none from a document to itself. */
function createEdges(nodes: number) {
  const seen = new Set<number>()
  const list: [number, number][] = []
  return {
    list,
    isFull: () => list.length >= MAX_EDGES,
    add(from: number | undefined, to: number | undefined): void {
      if (from === undefined || to === undefined || from === to || list.length >= MAX_EDGES) return
      const key = from * nodes + to
      if (seen.has(key)) return
      seen.add(key)
      list.push([from, to])
    },
  }
}

function nodeOf({ id, url, host, title, status, outcome, reason }: NodeRow): GraphNode {
  return { document: Number(id), url, host, title, status: Number(status), state: stateOf(outcome, reason) }
}

function stateOf(outcome: string, reason: string): GraphNode['state'] {
  if (outcome === 'redirect') return 'redirect'
  if (reason === 'gone') return 'gone'
  return outcome === 'failed' ? 'failed' : 'fetched'
}
