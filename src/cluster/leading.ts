import type { Clock } from '../core/clock.ts'
import type { Scheduler } from '../services/scheduler/scheduler.ts'
import type { CheckListener, WatchService } from '../services/watching/watch-service.ts'
import type { AskedStore, ClusterEvents, ScheduleStats } from '../store/contracts/cluster/events.ts'

export type LeadingDeps = {
  epoch: number
  service: Pick<WatchService, 'checkNow' | 'onCheck'>
  scheduler: Pick<Scheduler, 'stats'>
  asked: Pick<AskedStore, 'take'>
  stats: Pick<ScheduleStats, 'put'>
  events: Pick<ClusterEvents, 'listen' | 'notify'>
  clock: Pick<Clock, 'monotonic'>
  onCheck: CheckListener
}

const ASKED_CHANNEL = 'asked'
const ASKED_EVERY_MS = 2_000
const STATS_EVERY_MS = 3_000
/** Attempts to check an unknown watch: a new source becomes known with the next refresh of the profile base. */
const MAX_TRIES = 3
/** Payload that names no check: listeners reread everything. */
const READ_ALL = ''

/** The scheduler leader's side of the protocol: takes the other processes' requests for checks, and notifies them of checks. */
export function createLeading(deps: LeadingDeps) {
  const { epoch, service, events, clock } = deps
  const unsent = new Map<number, 'begun' | 'ended'>()
  const unknown = new Map<number, number>()
  /** Some notifications got lost, and it is unknown which. */
  let isMissed = false
  let askedAt = Number.NEGATIVE_INFINITY
  let statsAt = Number.NEGATIVE_INFINITY
  const stopListening = events.listen(ASKED_CHANNEL, () => {
    askedAt = Number.NEGATIVE_INFINITY
  })
  service.onCheck((watch, phase) => {
    unsent.set(watch, phase)
    deps.onCheck(watch, phase)
  })

  async function takeAsked(): Promise<void> {
    const again = [...unknown]
    unknown.clear()
    for (const [watch, tries] of again) checkNow(watch, tries)
    if (clock.monotonic() - askedAt < ASKED_EVERY_MS) return
    askedAt = clock.monotonic()
    for (const watch of await deps.asked.take(epoch)) checkNow(watch, 1)
  }

  function checkNow(watch: number, tries: number): void {
    if (service.checkNow(watch) === 'unknown' && tries < MAX_TRIES) unknown.set(watch, tries + 1)
  }

  async function putStats(): Promise<void> {
    if (clock.monotonic() - statsAt < STATS_EVERY_MS) return
    statsAt = clock.monotonic()
    await deps.stats.put(epoch, deps.scheduler.stats())
  }

  return {
    async beforeTick(): Promise<void> {
      await takeAsked()
      await putStats()
    },
    /** Called once everything is written: listeners find it in the store. */
    afterTick(): void {
      const payloads = checkPayloads(unsent)
      unsent.clear()
      if (isMissed) payloads.unshift(READ_ALL)
      isMissed = false
      for (const payload of payloads)
        events.notify(checksChannel, payload).catch(() => {
          isMissed = true
        })
    },
    /** Makes the others reread everything: it is unknown what the last leader didn't send. */
    async begin(): Promise<void> {
      await events.notify(checksChannel, READ_ALL)
    },
    end: stopListening,
  }
}

/** Checks that began and ended, as sent by the leader to the others. */
export type CheckNotice = { begun: readonly number[]; ended: readonly number[] }

export const checksChannel = 'checks'

/** Checks per payload: PostgreSQL takes 8000 bytes, and a number has at most 16 digits. */
const AT_ONCE = 400

/** Payloads that fit the channel's size limit. A check that began and ended is listed as ended only. */
export function checkPayloads(checks: ReadonlyMap<number, 'begun' | 'ended'>): string[] {
  const all = [...checks]
  const payloads: string[] = []
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE)
    const those = (phase: string): number[] => some.flatMap(([watch, each]) => (each === phase ? [watch] : []))
    payloads.push(JSON.stringify({ begun: those('begun'), ended: those('ended') }))
  }
  return payloads
}

/** Null if the payload can't be parsed or says that notifications were missed: the caller then rereads everything. */
export function readCheckPayload(payload: string | null): CheckNotice | null {
  try {
    const { begun, ended } = JSON.parse(payload ?? '') as Record<string, unknown>
    return { begun: numbersIn(begun), ended: numbersIn(ended) }
  } catch {
    return null
  }
}

function numbersIn(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((each) => Number.isSafeInteger(each)) : []
}
