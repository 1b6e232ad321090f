import type { GraphNode } from '../contracts/graph-view.ts'

/** More edges can't be distinguished in the picture, and a page that links to everything would make millions. */
const MAX_EDGES = 20_000
const KEY_BYTES = 8

/**
 * Excludes documents `d` that were fetched with a user's credentials, which others must not see. Those of a browser are all shown; its
 * mark counts only at the start of a URL, since links may contain it anywhere else.
 */
export const isShownSql = "(d.url NOT LIKE '%://~%' OR d.url LIKE 'http://~b@%' OR d.url LIKE 'https://~b@%')"

/** Indexes of documents in the graph, by the two ways links refer to them. */
export type Places = { ofUrl: Map<string, number>; ofKey: Map<number, number> }

export function placesOf(rows: readonly { url: string; fp: bigint }[]): Places {
  const ofUrl = new Map<string, number>()
  const ofKey = new Map<number, number>()
  for (const [place, { url, fp }] of rows.entries()) {
    ofUrl.set(url, place)
    ofKey.set(shortKey(Number(BigInt.asUintN(32, fp >> 32n)), Number(BigInt.asUintN(32, fp))), place)
  }
  return { ofUrl, ofKey }
}

/** 52 of the 64 bits fit in a number, which is fast to look up; among some thousand documents they are as good as all. */
const shortKey = (hi: number, lo: number): number => hi * 2 ** 20 + (lo >>> 12)

/** Indexes of the targets of links, by their keys: high word, then low word, each in native byte order. */
export function targetsOfKeys(bytes: Uint8Array, { ofKey }: Places): number[] {
  const words = new Uint32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / KEY_BYTES) * 2)
  const found: number[] = []
  for (let at = 0; at < words.length; at += 2) {
    const place = ofKey.get(shortKey(words[at]!, words[at + 1]!))
    if (place !== undefined) found.push(place)
  }
  return found
}

/** Collects distinct edges, without self-loops. */
export function createEdges(nodes: number) {
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

export function stateOf(outcome: string, reason: string): GraphNode['state'] {
  if (outcome === 'redirect') return 'redirect'
  if (reason === 'gone') return 'gone'
  return outcome === 'failed' ? 'failed' : 'fetched'
}
