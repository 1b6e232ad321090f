import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../../core/clock.ts'
import type { SimulationReport, SimulationRequest, SimulationRow } from '../../../core/reports/simulation-report.ts'
import type { Scheduler } from '../scheduler.ts'
import { createSeries, type SimulatedPage, type SimulatedPolicy, simulate } from './simulate.ts'

/** A watched source. */
export type KnownSource = {
  id: number
  uri: string
  demand: number
  everyMs: number
  everyMaxMs: number
  groups: readonly string[]
}

export type OwnHistoryDeps = {
  sources: readonly KnownSource[]
  scheduler: Pick<Scheduler, 'snapshot'>
  clock: Clock
  signal: AbortSignal
}

const DAY_MS = 86_400_000
const MAX_PAGES = 5_000
/** Minimum simulated change rate, for sources never seen to change. */
const LEAST_RATE = 1 / (365 * DAY_MS)

/**
 * Simulates the watched sources, with their estimated change rates, under other budgets and policies. A budget of 1 is what the current
 * intervals use. Policies start without any knowledge, as on the first day.
 */
export async function simulateHistory(deps: OwnHistoryDeps, request: SimulationRequest): Promise<SimulationReport> {
  const { sources, scheduler, clock, signal } = deps
  const planned = sources.flatMap((source) => {
    const snapshot = scheduler.snapshot(source.id)
    return snapshot === undefined || snapshot.state === 'paused' ? [] : [{ source, snapshot }]
  })
  const chosen = sampleOf(planned, request.seed)
  const pages = chosen.map(({ source, snapshot }): SimulatedPage => {
    const { demand, everyMs, everyMaxMs, groups } = source
    return { rate: Math.max(snapshot.changesPerDay / DAY_MS, LEAST_RATE), demand, everyMs, everyMaxMs, groups }
  })
  const base = chosen.reduce((sum, { snapshot }) => sum + 1 / snapshot.intervalMs, 0)
  const rows: SimulationRow[] = []
  for (const times of pages.length === 0 ? [] : request.budgets) {
    const budget = times * base
    const everyMs = pages.length / budget
    const even: SimulatedPolicy = {
      name: 'uniform',
      kind: 'rule',
      firstMs: (page) => Math.max(everyMs, page.everyMs),
      next: (ms) => ms,
    }
    const policies: SimulatedPolicy[] = [even, { name: 'adaptive', kind: 'adaptive' }, { name: 'value', kind: 'value' }]
    let uniformMs = 0
    for (const policy of policies) {
      await turn()
      signal.throwIfAborted()
      const found = simulate({ pages, policy, budget, lengthMs: request.days * DAY_MS, seed: request.seed })
      if (policy === even) uniformMs = found.delayMs
      rows.push({
        budget: times,
        policy: policy.name,
        ...found,
        ofUniform: uniformMs === 0 ? 1 : found.delayMs / uniformMs,
      })
    }
  }
  const byDelay = planned.toSorted((a, b) => b.snapshot.changesPerDay - a.snapshot.changesPerDay)
  return {
    ...{ sources: pages.length, of: sources.length, days: request.days, requestsPerDay: base * DAY_MS, rows },
    plan: byDelay.slice(0, request.listed).map(({ source, snapshot }) => ({
      uri: source.uri,
      changesPerDay: snapshot.lastAt === null ? null : snapshot.changesPerDay,
      everyMs: snapshot.intervalMs,
      expectedDelayMs: snapshot.expectedDelayMs,
      nextAt: snapshot.nextAt === null ? null : Math.max(snapshot.nextAt, clock.now()),
      why: snapshot.why === 'interval' ? snapshot.basis : snapshot.why,
    })),
  }
}

/** A random sample if there are more than `MAX_PAGES`. */
function sampleOf<T>(all: readonly T[], seed: number): T[] {
  const series = createSeries(seed)
  return all.length <= MAX_PAGES ? [...all] : all.filter(() => series() < MAX_PAGES / all.length)
}
