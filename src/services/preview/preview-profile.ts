import type { BodyReader } from '../../archive/body-reader.ts'
import type { Blocks } from '../../core/change/change.ts'
import type { Clock } from '../../core/clock.ts'
import type { ProfileDraft, Source } from '../../core/profile.ts'
import {
  type PreviewExample,
  type PreviewPart,
  type PreviewProgress,
  type PreviewReport,
  type PreviewRequest,
  previewLimits,
} from '../../core/reports/profile-report.ts'
import { readBlocks, textOfBlocks } from '../../core/text/blocks.ts'
import type { OmitRules } from '../../core/text/omit-rules.ts'
import { createWorkBudget } from '../../core/work/work-budget.ts'
import { type AnnotatedDocument, createDrafting } from '../../matching/annotate.ts'
import { type CompiledInterests, compileInterests } from '../../matching/interests/compile-interests.ts'
import { relevanceOf } from '../../matching/match/evaluate.ts'
import { createBuiltInScorers } from '../../matching/score/scorers.ts'
import { type DocumentTerms, readDocument } from '../../matching/terms/document-terms.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import { beginningOf } from '../annotating/change-summary.ts'
import { createSourceCover } from './source-cover.ts'

export type PreviewDeps = {
  versions: Pick<VersionStore, 'current'>
  bodies: BodyReader
  omitFor(url: string): OmitRules | null
  clock: Clock
  /** Where sources redirect to, as far as that is known. */
  landed: ReadonlyMap<string, string>
}

export type PreviewOptions = PreviewRequest & {
  /** For both scans of the archive together. */
  maxMs?: number
  /** Those below the threshold that are shown; none where nothing is said. */
  nearMisses?: number
  onProgress?(progress: PreviewProgress): void
  signal?: AbortSignal
}

type Read = { kind: 'text'; page: Blocks } | { kind: keyof PreviewPart['passedOver'] }

const MAX_MS = 60_000
/** Steps for the expressions of all scopes. */
const COVERING = 40_000_000
const PAGE = 256
/** Texts matched before yielding to other work in the process. */
const TURN = 8

/**
 * Matches a profile against the archive before it is saved. The result is what these documents would produce as they are:
 * the same texts, the same matching, the same summaries. Throws `usage-wrong` for interests that can't be matched.
 */
export async function previewProfile(
  deps: PreviewDeps,
  profile: ProfileDraft,
  options: PreviewOptions,
): Promise<PreviewReport> {
  const startedAt = deps.clock.monotonic()
  const { scorers, learn } = createBuiltInScorers()
  const interests = { compiled: compileInterests(profile.interests, scorers), learn }
  const { covering } = createSourceCover(profile.sources, deps.landed)
  const endAt = startedAt + (options.maxMs ?? MAX_MS)
  const timed = { ...options, endAt }
  const budget = createWorkBudget(COVERING)
  const covered = await look(deps, interests, timed, ({ url }) => covering(url, budget))
  const nothing = covered.documents === 0 && Object.values(covered.passedOver).every((count) => count === 0)
  const everything = nothing ? await look(deps, interests, timed, () => profile.sources) : null
  return { name: profile.name, covered, everything, tookMs: Math.round(deps.clock.monotonic() - startedAt) }
}

/** Interests, and a function that learns from each matched document how common words are. */
type Judged = { compiled: CompiledInterests; learn(terms: DocumentTerms): void }

/** Goes through current versions, the newest first, and holds those that come from some source against the interests. */
async function look(
  deps: PreviewDeps,
  interests: Judged,
  { documents, examples, nearMisses = 0, endAt, onProgress, signal }: PreviewOptions & { endAt: number },
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
      const read = await readText(deps, version)
      if (read.kind !== 'text') {
        part.passedOver[read.kind]++
        continue
      }
      part.documents++
      const found = match(version, read.page, sources, interests)
      if (found?.kind === 'match' && part.matched++ < shown) part.examples.push(found.example())
      if (found?.kind === 'near') near.offer(found)
      if (part.documents % TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    onProgress?.({ looked: part.looked, documents: part.documents, matched: part.matched })
    // A page may be shorter than was asked for, where some of it is not for everybody.
    if (page.length === 0) return ended('all')
  }
}

function emptyPart(): PreviewPart {
  const passedOver = { gone: 0, textless: 0, dropped: 0, lost: 0, damaged: 0 }
  return { looked: 0, documents: 0, matched: 0, examples: [], nearMisses: [], passedOver, end: 'all' }
}

async function readText({ bodies, omitFor }: PreviewDeps, version: Version): Promise<Read> {
  if (version.reason === 'gone') return { kind: 'gone' }
  const found = await bodies.read(version)
  if (found.kind === 'damaged') return { kind: 'damaged' }
  if (found.kind === 'absent') return { kind: found.why === 'none' ? 'textless' : found.why }
  const page = readBlocks(found.body, { contentType: found.contentType, omit: omitFor(version.url) })
  return page === null ? { kind: 'textless' } : { kind: 'text', page }
}

type Found =
  | { kind: 'match'; example(): PreviewExample }
  | { kind: 'near'; relevance: number; example(): PreviewExample }

/** Null where it does not match; else the parts of an example, computed only for the few that are shown. */
function match(version: Version, page: Blocks, sources: readonly Source[], interests: Judged): Found | null {
  const { id, documentId, url, n, title, firstSeenAt: at } = version
  const known = { document: documentId, version: id, url, n, at: new Date(at).toISOString(), title }
  const judged = sources.some(({ process }) => process === 'filter')
    ? judge({ url, title, text: textOfBlocks(page), at }, interests, known)
    : null
  if (judged?.kind === 'match') return judged
  if (!sources.some(({ process }) => process === 'track')) return judged
  const example = () => ({
    ...known,
    relevance: 1,
    summary: { text: beginningOf(page.blocks), marks: [] },
    explanation: { tracked: true },
  })
  return { kind: 'match', example }
}

type Known = Omit<PreviewExample, 'relevance' | 'summary' | 'explanation'>

function judge(document: AnnotatedDocument, { compiled, learn }: Judged, known: Known): Found | null {
  const terms = readDocument(document)
  learn(terms)
  const exampleOf = (relevance: number) => () => {
    const { summary, explanation } = createDrafting(document, terms)(0, compiled, relevance)
    return { ...known, relevance, summary, explanation }
  }
  const relevance = relevanceOf(compiled, terms)
  if (relevance !== null) return { kind: 'match', example: exampleOf(relevance) }
  const below = relevanceOf({ ...compiled, threshold: 0 }, terms)
  // With no keyword at all there is nothing that more of would have been enough.
  return below === null || below === 0 ? null : { kind: 'near', relevance: below, example: exampleOf(below) }
}

/** Those with the greatest relevance, of equal ones the first that came. */
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
