import type { Clock } from '../../core/clock.ts'
import type { AskedStore, ClusterEvents, ScheduleStats } from '../../store/contracts/cluster-events.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { checksChannel, wordsOf } from './check-words.ts'
import type { CheckListener, WatchService } from './watch-service.ts'

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
/** A source that was asked for when it was just made is known with the next look at the profile base. */
const MAX_TRIES = 3
/** Says nothing in particular: whoever hears it reads everything again. */
const READ_ALL = ''

/** What the leader of the scheduler does for the others: it takes what they were asked for, and tells them how the checks go. */
export function createLeading(deps: LeadingDeps) {
  const { epoch, service, events, clock } = deps
  const untold = new Map<number, 'begun' | 'ended'>()
  const unknown = new Map<number, number>()
  /** Some words did not come through, and nobody knows which. */
  let isMissed = false
  let askedAt = Number.NEGATIVE_INFINITY
  let statsAt = Number.NEGATIVE_INFINITY
  const stopListening = events.listen(ASKED_CHANNEL, () => {
    askedAt = Number.NEGATIVE_INFINITY
  })
  service.onCheck((watch, phase) => {
    untold.set(watch, phase)
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
    /** When what happened is written: whoever is told finds it in the store. */
    afterTick(): void {
      const words = wordsOf(untold)
      untold.clear()
      if (isMissed) words.unshift(READ_ALL)
      isMissed = false
      for (const text of words)
        events.notify(checksChannel, text).catch(() => {
          isMissed = true
        })
    },
    /** The others read everything again: nobody knows what the last leader left untold. */
    async begin(): Promise<void> {
      await events.notify(checksChannel, READ_ALL)
    },
    end: stopListening,
  }
}
