import type { Clock } from '../../core/clock.ts'
import type { Profile } from '../../core/profile.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { KeyedProfile, ProfileStore } from '../../store/contracts/profiles.ts'
import type { WatchStore } from '../../store/contracts/watches.ts'
import { writeProfiles } from '../../xml/profile/profile.ts'
import { inChunks } from '../../xml/xml-writing.ts'
import type { HoldingLimits } from '../profiles/holdings.ts'
import type { PrivateAddress } from '../profiles/private-address.ts'
import { eachProfile } from '../profiles/profile-import.ts'
import type { ProfileRules } from '../profiles/values/profile-values.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { WatchService } from '../watching/watch-service.ts'
import { writeOpml } from './opml.ts'
import type { OwnedSource } from './owner-sources.ts'
import { createSourceChanges, type SourceChanges } from './source-changes.ts'
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
  isAdministrator(owner: string): Promise<boolean>
  stores: SourcePagesDeps & { profiles: ProfileStore; watches: WatchStore; inbox: Pick<InboxStore, 'counts' | 'list'> }
  scheduler: Pick<Scheduler, 'snapshot'>
  watching: Pick<WatchService, 'checkNow'>
  clock: Clock
  naming: {
    keyed(profile: Profile): KeyedProfile
    rules: ProfileRules
    limits: HoldingLimits
    privateAddress: PrivateAddress
  }
}

export function createSources({ stores, scheduler, watching, clock, naming, isAdministrator }: SourcesDeps): Sources {
  const { profiles, watches, inbox } = stores
  const { keyed, rules, limits, privateAddress } = naming
  const service = createSourceService({
    profiles,
    watches,
    pages: createSourcePages(stores),
    unread: createSourceUnread(inbox, clock),
    scheduler,
    clock,
    schemes: [...rules.abilities.keys()],
    isAdministrator,
  })
  return {
    service,
    changes: createSourceChanges({ profiles, keyed, watching }),
    importList: createSourceImport({ profiles, keyed, sources: service, rules, limits, privateAddress }),
    async exportAll(owner, format) {
      const sources = await service.select(owner, { state: 'all' })
      const feeds = format === 'opml' ? await service.feedsAmong(sources) : new Set<number>()
      return exportSources({ profiles, sources, feeds }, owner, format)
    },
  }
}

type Exported = { profiles: ProfileStore; sources: readonly OwnedSource[]; feeds: ReadonlySet<number> }

type SourceExportFormat = 'opml' | 'list' | 'xml'

/** All sources of an owner as a file: addresses, OPML, or whole profiles. */
function exportSources(
  { profiles, sources, feeds }: Exported,
  owner: string,
  format: SourceExportFormat,
): AsyncGenerator<string, void, undefined> {
  // In the order they were added.
  const inOrder = sources.toReversed()
  if (format === 'xml') return inChunks(writeProfiles(eachProfile(profiles, owner)))
  if (format === 'list') return inChunks(writeList(inOrder))
  const outlines = inOrder.map(({ id, uri, profile }) => ({ url: uri, name: profile.name, isFeed: feeds.has(id) }))
  return inChunks(writeOpml(outlines))
}

async function* writeList(sources: readonly OwnedSource[]): AsyncGenerator<string, void, undefined> {
  for (const { uri } of sources) yield `${uri}\n`
}
