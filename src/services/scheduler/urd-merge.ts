import type { CoalescedWatch, Urd } from './coalesce.ts'
import { nearnessOf, type Reach } from './coverage.ts'
import { maxPayers, serviceLevels } from './watch.ts'

/**
 * What the fetch of a source must be so that each of its URDs gets what it asks for. Those that are paused ask for nothing;
 * where all are, the watch is paused and keeps their values. Everybody's upper bound is a promise, so the lowest counts.
 */
export function mergeUrds(urds: readonly Urd[]): CoalescedWatch {
  const active = urds.filter(({ paused }) => !paused)
  const asking = active.length > 0 ? active : urds
  const { watch, host } = urds[0]!
  const level = Math.min(...asking.map(({ level }) => serviceLevels.indexOf(level)))
  const windows = asking.flatMap(({ window }) => (window === null ? [] : [window]))
  const everyMs = least(asking, (urd) => urd.everyMs)
  return {
    id: watch,
    level: serviceLevels[level]!,
    host,
    payers: payersOf(asking),
    everyMs,
    everyMaxMs: Math.max(
      everyMs,
      least(asking, (urd) => urd.everyMaxMs),
    ),
    urgency: -least(asking, (urd) => -urd.urgency),
    windows: windows.length === asking.length ? distinct(windows) : null,
    paused: active.length === 0,
    owners: active.length,
    depth: -least(asking, (urd) => -urd.depth),
    reaches: reachesOf(asking),
  }
}
