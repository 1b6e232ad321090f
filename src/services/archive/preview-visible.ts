import type { BodyReader } from '../../archive/body-reader.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { type Profile, type ProfileDraft, partDefaults, type Source, watchedUri } from '../../core/profile.ts'
import type { OmitRules } from '../../core/text/omit-rules.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import { previewProfile } from '../preview/preview-profile.ts'
import type { OwnersView, Visibility } from '../visibility/visibility.ts'
import type { ArchiveReader } from './archive-reader.ts'

export type PreviewReaderDeps = {
  versions: Pick<VersionStore, 'current' | 'newest' | 'noise' | 'documentOfId' | 'version'>
  inbox: Pick<InboxStore, 'documents'>
  bodies: BodyReader
  visibility: Visibility
  /** Names sources as they would be once the profile is saved. */
  named(profile: Profile): Profile
  omitFor(url: string): OmitRules | null
  clock: Clock
  config: Pick<Config, 'parts'>
}

const MAX_DOCUMENTS = 1_000
const MAX_MS = 1_500
/** For scanning the archive for documents the owner sees; after that, annotated documents are enough. */
const MAX_WALK_MS = 700
const MAX_EXAMPLES = 10
/** Per document. */
const MAX_CHANGES = 10
const MAX_NEAR_MISSES = 5
const WALKED = 500

/** Matches a draft against the documents its owner sees, and no others. */
export function createPreviewReader(deps: PreviewReaderDeps): Pick<ArchiveReader, 'preview'> {
  const { bodies, omitFor, clock, config } = deps
  return {
    async preview({ draft, ...asker }) {
      const view = deps.visibility.of(asker)
      const hasSources = draft.sources.length > 0
      const profile = hasSources ? nameSources(draft, asker.owner, deps) : { ...draft, sources: [anywhere] }
      const seen = createSeenVersions(deps, asker.owner, view)
      const landed = new Map<string, string>()
      for (const each of await view.sources()) if (each.landed !== '') landed.set(each.source.uri, each.landed)
      const options = {
        documents: MAX_DOCUMENTS,
        examples: MAX_EXAMPLES,
        changes: MAX_CHANGES,
        nearMisses: MAX_NEAR_MISSES,
        maxMs: MAX_MS,
      }
      const report = await previewProfile(
        { versions: seen, bodies, omitFor, clock, config, landed, owner: asker.owner },
        profile,
        options,
      )
      const { covered, everything, tookMs } = report
      const { documents, matched, examples, nearMisses, end } = everything ?? covered
      const isWhole = end === 'all' && !seen.wasCut()
      return {
        documents,
        matched,
        covered: hasSources && everything === null,
        examples,
        nearMisses,
        end: isWhole ? 'all' : end === 'count' ? 'count' : 'time',
        tookMs,
      }
    },
  }
}

/** Replaces the sources of a draft that has none yet: it covers nothing, so that the draft is matched against everything. */
const anywhere: Source = {
  uri: 'http://nowhere.invalid/',
  everyMs: 0,
  everyMaxMs: 0,
  depth: 0,
  scope: { kind: 'page' },
  process: 'filter',
  window: null,
  ...partDefaults,
}

/** Replaces the URIs of sources with those of their watches. */
function nameSources(draft: ProfileDraft, owner: string, { named }: PreviewReaderDeps): ProfileDraft {
  const profile = named({ ...draft, id: '', owner })
  return { ...profile, sources: profile.sources.map((source) => ({ ...source, uri: watchedUri(owner, source) })) }
}

/**
 * The current versions that an owner sees, newest first. They may be few among millions of others', so the scan has a time limit;
 * after that come the documents for which the owner has annotations.
 */
function createSeenVersions({ versions, inbox, clock }: PreviewReaderDeps, owner: string, view: OwnersView) {
  const endAt = clock.monotonic() + MAX_WALK_MS
  let isCut = false
  let annotated: Promise<Version[]> | null = null

  async function readAnnotated(): Promise<Version[]> {
    const found: Version[] = []
    for (const { documentId } of await inbox.documents(owner, { before: null, limit: MAX_DOCUMENTS })) {
      const document = await versions.documentOfId(documentId)
      const version = document === null || document.versionId === 0 ? null : await versions.version(document.versionId)
      if (version !== null) found.push(version)
    }
    return found.sort((a, b) => b.id - a.id)
  }

  return {
    wasCut: () => isCut,
    newest: versions.newest,
    noise: versions.noise,
    async current({ before, limit }: { before: number; limit: number }): Promise<Version[]> {
      for (let from = before; clock.monotonic() < endAt; ) {
        const page = await versions.current({ before: from, limit: WALKED })
        if (page.length === 0) return []
        const seen = await view.filter(page.map((version) => ({ id: version.documentId, url: version.url, version })))
        // Return all of them, even beyond the limit: the next page begins after the last one returned.
        if (seen.length > 0) return seen.map(({ version }) => version)
        from = page.at(-1)!.id
      }
      isCut = true
      annotated ??= readAnnotated()
      return (await annotated).filter(({ id }) => id < before).slice(0, limit)
    },
  }
}
