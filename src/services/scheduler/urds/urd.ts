import { hash } from 'node:crypto'
import type { Scope, ServiceLevel, TimeWindow } from '../../../core/profile.ts'
import { maxPayers, serviceLevels, type Watch } from '../watch.ts'
import { nearnessOf, type Reach } from './coverage.ts'

/** One source of one profile: the parts that decide when and how far it is fetched. */
export type Urd = {
  /** Both are integers assigned by the store. URDs with the same `watchKey` have the same watch. */
  id: number
  watch: number
  owner: string
  level: ServiceLevel
  /** The host key of the source; '' for one without a host. */
  host: string
  everyMs: number
  everyMaxMs: number
  depth: number
  scope: Scope
  urgency: number
  window: TimeWindow | null
  paused: boolean
  /** Groups of similar sources: see `priors.ts`. */
  groups?: readonly string[]
}

/** A watch with the scopes its fetch must cover. */
export type CoalescedWatch = Watch & {
  /** URDs that are not paused. */
  owners: number
  /** The largest of all URDs. */
  depth: number
  /** Scopes of the URDs: a page is fetched if one of them covers it. None contains another. */
  reaches: readonly Reach[]
}

/** Sources with the same key are fetched as one. `uri` is normalised and includes how to request it; `kind` names the fetcher. */
export function watchKey(kind: string, uri: string): string {
  // Long URIs, such as those with a query, don't fit into an index.
  return kind === 'web' || uri.length < 1000 ? `${kind} ${uri}` : `${kind} sha256:${hash('sha256', uri)}`
}

/**
 * The watch that satisfies all URDs of a source. Paused ones are ignored; if all are paused, the watch is paused and
 * keeps their values. Each upper bound is a promise, so the lowest counts.
 */
export function mergeUrds(urds: readonly Urd[]): CoalescedWatch {
  const active = urds.filter(({ paused }) => !paused)
  const asking = active.length > 0 ? active : urds
  const first = asking[0]!
  let level = serviceLevels.indexOf(first.level)
  let { everyMs, everyMaxMs, urgency, depth } = first
  for (const urd of asking) {
    level = Math.min(level, serviceLevels.indexOf(urd.level))
    everyMs = Math.min(everyMs, urd.everyMs)
    everyMaxMs = Math.min(everyMaxMs, urd.everyMaxMs)
    urgency = Math.max(urgency, urd.urgency)
    depth = Math.max(depth, urd.depth)
  }
  return {
    id: first.watch,
    host: first.host,
    level: serviceLevels[level]!,
    payers: payersOf(asking),
    everyMs,
    everyMaxMs: Math.max(everyMs, everyMaxMs),
    urgency,
    windows: windowsOf(asking),
    paused: active.length === 0,
    demand: demandOf(asking),
    ...(first.groups !== undefined && { groups: first.groups }),
    owners: active.length,
    depth,
    reaches: scopesOf(asking),
  }
}

/** Weight of a level. Frequency grows with its square root: gold is checked twice as often as silver, silver twice as often as bronze. */
const waiting: Readonly<Record<ServiceLevel, number>> = { gold: 4, silver: 1, bronze: 0.25 }

/** Each owner counts once, with the highest of their values. */
function demandOf(urds: readonly Urd[]): number {
  const owners = new Map<string, number>()
  for (const { owner, level, urgency } of urds)
    owners.set(owner, Math.max(owners.get(owner) ?? 0, waiting[level] * Math.max(urgency, 0)))
  let demand = 0
  for (const each of owners.values()) demand += each
  return demand
}

/** Owners, highest level first: their level decides when the check is made. */
function payersOf(urds: readonly Urd[]): string[] {
  const payers = new Set<string>()
  for (const level of serviceLevels) {
    for (const urd of urds) {
      if (payers.size >= maxPayers) return [...payers]
      if (urd.level === level) payers.add(urd.owner)
    }
  }
  return [...payers]
}

/** Null if any URD has no window. */
function windowsOf(urds: readonly Urd[]): TimeWindow[] | null {
  const windows = new Map<string, TimeWindow>()
  for (const { window } of urds) {
    if (window === null) return null
    windows.set(JSON.stringify(window), window)
  }
  // In a fixed order, so that equal sets of windows compare as equal.
  return [...windows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, window]) => window)
}

/** Widest first, without those contained in another. Expressions cannot be compared, so each is kept. */
function scopesOf(urds: readonly Urd[]): Reach[] {
  const depths = new Map<string, Reach>()
  for (const { scope, depth } of urds) {
    const name = scope.kind === 'pattern' ? `pattern ${scope.source}` : scope.kind
    const known = depths.get(name)
    if (known === undefined || known.depth < depth) depths.set(name, { scope, depth })
  }
  const reaches: Reach[] = []
  let deepest = -1
  for (const kind of Object.keys(nearnessOf)) {
    const reach = depths.get(kind)
    depths.delete(kind)
    if (reach === undefined || reach.depth <= deepest) continue
    deepest = reach.depth
    reaches.push(reach)
  }
  return [...reaches, ...depths.values()]
}
