import type { Scope, ServiceLevel, TimeWindow } from '../../../core/profile.ts'
import type { Watch } from '../watch.ts'
import type { Reach } from './coverage.ts'

/** One source of one profile, as far as it matters when and how far it is fetched. */
export type Urd = {
  /** Whole numbers both, as the store gives them. URDs with the same `watchKey` have the same watch. */
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
}

/** A watch with what its fetch must reach. */
export type CoalescedWatch = Watch & {
  /** URDs that are not paused. */
  owners: number
  /** The largest. */
  depth: number
  /** What somebody covers: a page is to be fetched if one of these does. None is within another. */
  reaches: readonly Reach[]
}

/** Sources that have the same key are fetched as one. `uri` is normalised; `kind` is the agent-proxy that speaks to it. */
export function watchKey(kind: string, uri: string): string {
  return `${kind} ${uri}`
}
