import type { BodyReader } from '../../archive/body-reader.ts'
import { findDocument } from '../../archive/history/version-finder.ts'
import type { Config } from '../../config/config.ts'
import { omitRulesOf } from '../../config/source-rules.ts'
import type { Clock } from '../../core/clock.ts'
import { createOmitRules } from '../../core/text/omit-rules.ts'
import { namingOf } from '../../crawl/normalize/naming.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { FrontierView } from '../../store/contracts/frontier-view.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { WatchStore } from '../../store/contracts/watches.ts'
import { createExplainUrl } from '../explain/explain-url.ts'
import { createProfileKeys } from '../profiles/keyed-profile.ts'
import { createReplayReader } from '../replay/read-replay.ts'
import { createVisibility } from '../visibility/visibility.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { createPreviewReader } from './preview-visible.ts'
import { createContentReader } from './read-contents.ts'
import { createDocumentReader } from './read-documents.ts'
import { createPartsReader } from './read-part.ts'
import { createScreenshotReader } from './read-screenshots.ts'
import { createSearchReader, type OpenIndex } from './search-visible.ts'
import { createVisibleDocuments } from './visible-documents.ts'

export type ArchiveStores = {
  versions: VersionStore
  objects: ObjectStore
  profiles: ProfileStore
  watches: WatchStore
  inbox: InboxStore
  frontier: FrontierView
}

export type ArchiveDeps = {
  stores: ArchiveStores
  bodies: BodyReader
  openIndex(): Promise<OpenIndex>
  keyOf(url: string): DocumentKey | null
  config: Config
  clock: Clock
}

/** All requests users can make of the archive, on any stores. */
export function createArchive({ stores, bodies, openIndex, keyOf, config, clock }: ArchiveDeps): ArchiveReader {
  const { versions, objects, profiles, watches, inbox, frontier } = stores
  const visibility = createVisibility({ profiles, watches, inbox, versions, clock })
  const visible = createVisibleDocuments({ versions, visibility, keyOf })
  const omitFor = createOmitRules(omitRulesOf(config.sources))
  const keyed = createProfileKeys(namingOf(config.crawl))
  const explain = createExplainUrl({ config, frontier, versions, clock, keyOf })
  return {
    ...createDocumentReader({ versions, inbox, visibility, visible, keyOf }),
    ...createPartsReader({ versions, bodies, visible, omitFor }),
    ...createContentReader({ versions, objects, bodies, visibility, visible, keyOf }),
    ...createReplayReader({ versions, bodies, visible }),
    ...createScreenshotReader({ versions, bodies, visible, keyOf }),
    ...createSearchReader({ openIndex, bodies, visibility, clock }),
    ...createPreviewReader({
      versions,
      inbox,
      bodies,
      visibility,
      named: (profile) => keyed(profile).profile,
      omitFor,
      clock,
      config,
    }),
    async explain({ url, all, ...asker }) {
      const document = () => (all ? findDocument({ versions, keyOf }, url) : visible.ofUrl(asker, url))
      return explain({ url, all, document, sources: await visibility.of(asker).sources() })
    },
  }
}
