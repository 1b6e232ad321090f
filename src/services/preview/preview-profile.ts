import type { BodyReader } from '../../archive/body-reader.ts'
import type { Config } from '../../config/config.ts'
import { noNoise } from '../../core/change/noise/learning.ts'
import type { Clock } from '../../core/clock.ts'
import type { ProfileDraft, Source } from '../../core/profile.ts'
import {
  type PreviewPart,
  type PreviewProgress,
  type PreviewReport,
  type PreviewRequest,
  previewLimits,
} from '../../core/reports/profile-report.ts'
import type { OmitRules } from '../../core/text/omit-rules.ts'
import { createWorkBudget } from '../../core/work/work-budget.ts'
import { compileInterests } from '../../matching/interests/compile-interests.ts'
import type { KeptNoise, Version, VersionStore } from '../../store/contracts/versions.ts'
import { scorersOf } from '../scoring/scorers-of.ts'
import { createSourceCover } from './source-cover.ts'
import { createVersionMatch, type Found, type ReadVersion } from './version-match.ts'

export type PreviewDeps = {
  versions: Pick<VersionStore, 'current' | 'newest' | 'noise'>
  bodies: Pick<BodyReader, 'readText'>
  omitFor(url: string): OmitRules | null
  clock: Clock
  config: Pick<Config, 'parts'>
  /** Where sources redirect to, if known. */
  landed: ReadonlyMap<string, string>
  /** The owner of the profile, if known: blocks they unmuted are not muted here. */
  owner?: string
}

export type PreviewOptions = PreviewRequest & {
  /** For both scans of the archive together. */
  maxMs?: number
  /** How many of a document's last changes to examine, if interests match changes; one by default. */
  changes?: number
  /** Number of documents below the threshold to show; none by default. */
  nearMisses?: number
  onProgress?(progress: PreviewProgress): void
  signal?: AbortSignal
}

const MAX_MS = 60_000
/** Work budget for the expressions of all scopes. */
const COVERING = 40_000_000
const PAGE = 256
/** Texts matched before yielding to other work in the process. */
const TURN = 8

/**
 * Matches a profile against the archive before it is saved. The result is what these documents would produce as they are:
 * the same texts, the same matching, the same summaries. Interests in changes are matched against the last changes. Throws
 * `usage-wrong` for interests that can't be matched.
 */
export async function previewProfile(
  deps: PreviewDeps,
  profile: ProfileDraft,
  options: PreviewOptions,
): Promise<PreviewReport> {
  const startedAt = deps.clock.monotonic()
  const { scorers, learn } = scorersOf(deps.config)
  const compiled = compileInterests(profile.interests, scorers)
  const match = createVersionMatch(profile, { compiled, owner: deps.owner ?? '', learn })
  const isOfChange = profile.interests.match === 'change'
  const { covering } = createSourceCover(profile.sources, deps.landed)
  const endAt = startedAt + (options.maxMs ?? MAX_MS)
  const timed = { ...options, endAt }
  const budget = createWorkBudget(COVERING)
  const covered = await look(deps, { match, isOfChange }, timed, ({ url }) => covering(url, budget))
  const nothing = covered.documents === 0 && Object.values(covered.passedOver).every((count) => count === 0)
  const everything = nothing ? await look(deps, { match, isOfChange }, timed, () => profile.sources) : null
  return { name: profile.name, covered, everything, tookMs: Math.round(deps.clock.monotonic() - startedAt) }
}

type Matching = { match: ReturnType<typeof createVersionMatch>; isOfChange: boolean }

const nothingLearned: KeptNoise = { state: noNoise, undone: [] }
const wholeOf = (version: Version): [Version, Version | null][] => [[version, null]]

/** Goes through current versions, newest first, and matches those that come from some source against the interests. */
async function look(
  deps: PreviewDeps,
  { match, isOfChange }: Matching,
  { documents, examples, changes = 1, nearMisses = 0, endAt, onProgress, signal }: PreviewOptions & { endAt: number },
  sourcesOf: (version: Version) => readonly Source[],
): Promise<PreviewPart> {
  const part = emptyPart()
  const near = createNearest(Math.min(nearMisses, previewLimits.examples))
  const ended = (end: PreviewPart['end']): PreviewPart => ({ ...part, nearMisses: near.examples(), end })
  const wanted = Math.min(documents, previewLimits.documents)
  const shown = Math.min(examples, previewLimits.examples)
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await deps.versions.current({ before, limit: PAGE })
    for (const version of page) {
      before = version.id
      if (part.documents >= wanted) return ended('count')
      if (signal?.aborted === true) return ended('stopped')
      if (deps.clock.monotonic() >= endAt) return ended('time')
      part.looked++
      const sources = sourcesOf(version)
      if (sources.length === 0) continue
      const noise = isOfChange ? await deps.versions.noise(version.documentId) : nothingLearned
      for (const [state, earlier] of isOfChange ? await changesOf(deps, version, changes) : wholeOf(version)) {
        if (part.documents >= wanted || deps.clock.monotonic() >= endAt) break
        const read = await readVersion(deps, state, earlier, noise)
        const found = read.kind === 'read' ? match(read.read, sources) : read
        if (found.kind !== 'match' && found.kind !== 'near' && found.kind !== 'none') {
          part.passedOver[found.kind]++
          continue
        }
        part.documents++
        if (found.kind === 'match' && part.matched++ < shown) part.examples.push(found.example())
        if (found.kind === 'near') near.offer(found)
        if (part.documents % TURN === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    onProgress?.({ looked: part.looked, documents: part.documents, matched: part.matched })
    // A page may be shorter than the limit, as some versions may be hidden from the owner.
    if (page.length === 0) return ended('all')
  }
}

function emptyPart(): PreviewPart {
  const passedOver = { gone: 0, textless: 0, dropped: 0, lost: 0, damaged: 0 }
  return { looked: 0, documents: 0, matched: 0, examples: [], nearMisses: [], passedOver, end: 'all' }
}

type Read = { kind: 'read'; read: ReadVersion } | { kind: keyof PreviewPart['passedOver'] }

async function readVersion(
  { bodies, omitFor }: PreviewDeps,
  version: Version,
  before: Version | null,
  noise: KeptNoise,
): Promise<Read> {
  if (version.reason === 'gone') return { kind: 'gone' }
  const found = await bodies.readText(version)
  if (found.kind === 'damaged') return { kind: 'damaged' }
  if (found.kind === 'absent') return { kind: found.why === 'none' ? 'textless' : found.why }
  const omit = omitFor(version.url)
  const old = before === null ? null : await bodies.readText(before)
  // As in the annotation engine: without the previous version, the page counts as a whole.
  const contentOf = ({ url, status }: Version, { body, contentType, header }: Extract<Body, { kind: 'body' }>) => ({
    body,
    contentType,
    omit,
    answer: { url, status, header },
  })
  const known = old?.kind === 'body' ? contentOf(before!, old) : null
  return {
    kind: 'read',
    read: { version, content: contentOf(version, found), before: known, previous: before, noise },
  }
}

type Body = Awaited<ReturnType<BodyReader['readText']>>

/** The last changes of a document, newest first, each with its previous version; null for new pages. */
async function changesOf(
  { versions }: PreviewDeps,
  version: Version,
  count: number,
): Promise<[Version, Version | null][]> {
  const all = [
    version,
    ...(version.n === 1 ? [] : await versions.newest(version.documentId, { before: version.n, limit: count })),
  ]
  const changes: [Version, Version | null][] = []
  for (const [n, each] of all.entries()) {
    const before = all.slice(n + 1).find(({ reason }) => reason !== 'gone') ?? null
    const isWhole = each.reason === 'new' || each.reason === 'back'
    // Skip past removals, and the oldest version if its predecessor was not read.
    if (n > 0 && (each.reason === 'gone' || (before === null && !isWhole))) continue
    if (changes.length < count) changes.push([each, isWhole ? null : before])
  }
  return changes
}

/** Keeps those with the highest relevance; ties go to the first offered. */
function createNearest(count: number) {
  const best: (Found & { kind: 'near' })[] = []
  return {
    offer(found: Found & { kind: 'near' }): void {
      const place = best.findIndex(({ relevance }) => relevance < found.relevance)
      if (place === -1) best.push(found)
      else best.splice(place, 0, found)
      if (best.length > count) best.length = count
    },
    examples: () => best.map(({ example }) => example()),
  }
}
