import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { EventHub } from '../../services/events/event-hub.ts'
import { createProfileKeys, namingOf } from '../../services/profiles/keyed-profile.ts'
import { profileRules } from '../../services/profiles/profile-values.ts'
import type { Scheduler } from '../../services/scheduler/scheduler.ts'
import { followChecks } from '../../services/sources/source-events.ts'
import { createSources, type Sources } from '../../services/sources/sources.ts'
import type { WatchService } from '../../services/watching/watch-service.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'

export type SourceDeps = {
  stores: Pick<StoreSet, 'profiles' | 'watches' | 'inbox' | 'versions' | 'seed'>
  config: Config
  log: Logger
  clock: Clock
  scheduler: Pick<Scheduler, 'snapshot'>
  watching: Pick<WatchService, 'checkNow'>
  /** Where checks begin and end; without it nobody is told of them, and counts of many sources may be some seconds old. */
  checks: Pick<WatchService, 'onCheck' | 'urdsOf'> | null
  hub: Pick<EventHub, 'isHeard' | 'publish'>
}

/** Sources, and their events. */
export function createSourceParts({
  stores,
  config,
  log,
  clock,
  scheduler,
  watching,
  checks,
  hub,
}: SourceDeps): Sources {
  const sources = createSources({
    stores: { ...stores, keyOf: createKeys(config, stores.seed) },
    scheduler,
    watching,
    clock,
    naming: { keyed: createProfileKeys(namingOf(config)), rules: profileRules(config), limits: config.server },
  })
  if (checks !== null)
    followChecks({
      checks,
      sources: sources.service,
      isHeard: hub.isHeard,
      onState: (owner, source) => hub.publish(owner, { name: 'source', data: source }),
      onProblem: (message, fields) => log.warn(fields, message),
    })
  return sources
}
