import type { Clock } from '../../core/clock.ts'
import type { Profile } from '../../core/profile.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { KeyedProfile, ProfileStore } from '../../store/contracts/profiles.ts'
import type { WatchStore } from '../../store/contracts/watches.ts'
import type { HoldingLimits } from '../profiles/holdings.ts'
import type { ProfileRules } from '../profiles/profile-values.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { WatchService } from '../watching/watch-service.ts'
import { createSourceChanges, type SourceChanges } from './source-changes.ts'
import { exportSources, type SourceExportFormat } from './source-export.ts'
import { createSourceImport } from './source-import.ts'
import { createSourcePages, type SourcePagesDeps } from './source-pages.ts'
import { createSourceService, type SourceService } from './source-service.ts'
import { createSourceUnread } from './source-unread.ts'

/** The services for sources. */
export type Sources = {
  service: SourceService
  changes: SourceChanges
  importList: ReturnType<typeof createSourceImport>
  exportAll(owner: string, format: SourceExportFormat): Promise<AsyncGenerator<string, void, undefined>>
}

export type SourcesDeps = {
  stores: SourcePagesDeps & { profiles: ProfileStore; watches: WatchStore; inbox: Pick<InboxStore, 'counts' | 'list'> }
  scheduler: Pick<Scheduler, 'snapshot'>
  watching: Pick<WatchService, 'checkNow'>
  clock: Clock
  naming: { keyed(profile: Profile): KeyedProfile; rules: ProfileRules; limits: HoldingLimits }
}

export function createSources({ stores, scheduler, watching, clock, naming }: SourcesDeps): Sources {
  const { profiles, watches, inbox } = stores
  const { keyed, rules, limits } = naming
  const service = createSourceService({
    profiles,
    watches,
    pages: createSourcePages(stores),
    unread: createSourceUnread(inbox, clock),
    scheduler,
    clock,
    schemes: rules.schemes,
  })
  return {
    service,
    changes: createSourceChanges({ profiles, keyed, watching }),
    importList: createSourceImport({ profiles, keyed, sources: service, rules, limits }),
    async exportAll(owner, format) {
      const sources = await service.select(owner, { state: 'all' })
      return exportSources({ profiles, sources }, owner, format)
    },
  }
}
