import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { createArrivals } from '../../services/events/arrivals.ts'
import type { EventHub } from '../../services/events/event-hub.ts'
import type { MarkRelay } from '../../services/events/mark-relay.ts'
import { createInboxService } from '../../services/inbox/inbox-service.ts'
import { createProfileNames } from '../../services/inbox/profile-names.ts'
import { createProfileKeys, namingOf } from '../../services/profiles/keyed-profile.ts'
import { createProfileReading } from '../../services/profiles/profile-reading.ts'
import { createProfileService } from '../../services/profiles/profile-service.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'

export type InboxDeps = {
  config: Config
  log: Logger
  stores: Pick<StoreSet, 'inbox' | 'profiles' | 'annotations'>
  clock: Clock
  hub: EventHub
  /** Sources of an owner that fail. */
  countFailing?(owner: string): Promise<number>
  onProfilesChanged?(): void
  /** The other processes that serve, where there may be some. */
  marks?: MarkRelay
}

/** Inbox, profiles and live events. */
export function createInboxParts(deps: InboxDeps) {
  const { config, log, stores, clock, hub, countFailing, onProfilesChanged, marks } = deps
  const { inbox: store, profiles: profileStore, annotations } = stores
  const { maxProfiles, maxSources, maxStreams } = config.server
  const inbox = createInboxService({
    store,
    names: createProfileNames(profileStore),
    hub,
    clock,
    ...(countFailing === undefined ? {} : { countFailing }),
    ...(marks === undefined ? {} : { tellOthers: marks.tell }),
  })
  marks?.follow(inbox.noteMarks)
  const profiles = createProfileService({
    store: profileStore,
    reading: createProfileReading(config),
    keyed: createProfileKeys(namingOf(config)),
    limits: { maxProfiles, maxSources },
    ...(onProfilesChanged === undefined ? {} : { onChange: onProfilesChanged }),
  })
  const arrivals = createArrivals({
    inbox,
    store,
    annotations,
    hub,
    onProblem: (message, fields) => log.warn(fields, message),
  })
  return { inbox, profiles, events: { hub, arrivals, maxStreams } }
}
