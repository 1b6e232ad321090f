import type { Engine } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import { simulateHistory } from '../../services/scheduler/simulation/own-history.ts'
import { createWatchedSources } from '../../services/watching/watched-sources.ts'
import { levelsOf, schedulerOf } from '../../services/watching/watching.ts'
import { withStores } from '../engines/open-engine.ts'
import { watchableSchemes } from '../protocols.ts'

/** Reads the watched sources like a process that follows the schedule: nothing is checked. */
export const simulate: Engine['simulate'] = (target, request, signal) =>
  withStores(target, 'read', async (stores) => {
    const scheduler = schedulerOf(target.config, systemClock, null)
    const watched = createWatchedSources({
      ...{ profiles: stores.profiles, watches: stores.watches, schemes: watchableSchemes() },
      ...levelsOf(stores.accounts, target.config),
      onProblem: () => {},
    })
    await watched.refresh()
    const ids: number[] = []
    watched.forward({
      set(watch) {
        ids.push(watch.id)
        scheduler.set(watch, watched.savedState(watch.id))
      },
      remove() {},
    })
    const sources = ids.flatMap((id) => {
      const watch = watched.coalescer.watch(id)
      const uri = watched.rows.get(id)?.uri
      if (watch === undefined || uri === undefined) return []
      const { demand = 1, everyMs, everyMaxMs, groups = [] } = watch
      return [{ id, uri, demand, everyMs, everyMaxMs, groups }]
    })
    return simulateHistory({ sources, scheduler, clock: systemClock, signal }, request)
  })
