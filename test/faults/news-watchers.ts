import { createBodyReader } from '../../src/archive/body-reader.ts'
import type { Profile, Scope } from '../../src/core/profile.ts'
import type { Annotation } from '../../src/store/contracts/annotations.ts'
import type { Version } from '../../src/store/contracts/versions.ts'
import { createSqliteObjects } from '../../src/store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../../src/store/sqlite/documents/versions.ts'
import { openCatalogForReading, paths } from '../../src/store/sqlite/folder/folder.ts'
import { profileOf, sourceOf } from '../watch/up-run.ts'
import { type Edition, hopsFromFront, type NewsSite, readEdition } from './news-site.ts'

/** A profile on the news site, with a simple model of what it covers. */
type Watcher = {
  id: string
  owner: string
  source: string
  depth: number
  everyMs: number
  process: 'filter' | 'track'
  scope: Scope
  keywords: Record<string, number>
  exclude: string[]
  threshold: number
  /** Whether a page is covered, by its path alone. */
  covers(path: string): boolean
}

const none = { keywords: {}, exclude: [], threshold: 1 }
const front = { source: '/', scope: { kind: 'host' } as const, everyMs: 200 }

const watchers: readonly Watcher[] = [
  {
    ...front,
    id: 'java',
    owner: 'ann@example.org',
    depth: 2,
    process: 'filter',
    keywords: { java: 4, research: 3, ibm: 1 },
    exclude: [],
    threshold: 4,
    covers: (path) => path in hopsFromFront,
  },
  {
    ...front,
    id: 'research',
    owner: 'bob@example.org',
    depth: 1,
    everyMs: 300,
    process: 'filter',
    keywords: { research: 3, weather: 1 },
    exclude: ['football'],
    threshold: 1,
    covers: (path) => (hopsFromFront[path] ?? 9) <= 1,
  },
  {
    ...front,
    ...none,
    id: 'all',
    owner: 'cat@example.org',
    depth: 2,
    everyMs: 500,
    process: 'track',
    covers: (path) => path in hopsFromFront,
  },
  {
    ...none,
    id: 'section',
    owner: 'bob@example.org',
    source: '/a/',
    scope: { kind: 'path' },
    depth: 1,
    everyMs: 250,
    process: 'track',
    covers: (path) => path.startsWith('/a/'),
  },
  {
    id: 'alone',
    owner: 'ann@example.org',
    source: '/alone/',
    scope: { kind: 'path' },
    depth: 1,
    everyMs: 200,
    process: 'filter',
    keywords: { ibm: 2, football: 2 },
    exclude: ['weather'],
    threshold: 2,
    covers: (path) => path.startsWith('/alone/'),
  },
  {
    ...none,
    id: 'wide',
    owner: 'cat@example.org',
    source: '/wide/',
    scope: { kind: 'pattern', source: '/(far|wide)/' },
    depth: 2,
    everyMs: 250,
    process: 'track',
    covers: (path) => /^.(far|wide)./.test(path),
  },
]

/** Pages of two sources: each is checked at its own interval and may miss versions in between. */
const isShared = (path: string): boolean => path.startsWith('/a/')

export function watchingProfiles(origin: string): Profile[] {
  return watchers.map(({ id, owner, source, depth, everyMs, process, scope, keywords, exclude, threshold }) =>
    profileOf(
      id,
      owner,
      [sourceOf(origin + source, { depth, process, everyMs, everyMaxMs: everyMs, scope })],
      keywords,
      { exclude, threshold },
    ),
  )
}

/** Relevance of an edition to a watcher; null if it does not match. */
function relevanceTo({ process, keywords, exclude, threshold }: Watcher, { words }: Edition): number | null {
  if (process === 'track') return 1
  if (exclude.some((word) => words.includes(word))) return null
  const relevance = words.reduce((sum, word) => sum + (keywords[word] ?? 0), 0)
  return relevance > 0 && relevance >= threshold ? relevance : null
}

export type ImpliedInput = { data: string; site: NewsSite; annotations: readonly Annotation[] }

/** Compares each watcher with each stored version: lost, duplicate and unexpected annotations. */
export async function impliedFaults({ data, site, annotations }: ImpliedInput) {
  const kept = await readStored(data, site)
  const faults = [...historyFaults(kept, site)]
  const left = new Map<string, Annotation[]>()
  for (const annotation of annotations) {
    const key = `${annotation.profile} ${annotation.versionId}`
    left.set(key, [...(left.get(key) ?? []), annotation])
  }
  for (const watcher of watchers) {
    for (const [path, versions] of kept) {
      let wasNotified = false
      for (const [index, { version, edition, isDropped }] of versions.entries()) {
        const key = `${watcher.id} ${version.id}`
        const found = left.get(key) ?? []
        left.delete(key)
        const isFollowed = watcher.process === 'track' || wasNotified
        const relevance = edition === null ? (isFollowed ? 1 : null) : relevanceTo(watcher, edition)
        const isDue = watcher.covers(path) && relevance !== null
        // A page that was gone before its watch first reached it is no news.
        const wasNeverMet = edition === null && !wasNotified
        const mayLack = isShared(path) && (index < versions.length - 1 || wasNeverMet)
        const name = `${watcher.id}: ${path}@${version.n} (${version.reason}, edition ${edition?.edition})`
        if (isDue && found.length === 0 && !mayLack) faults.push(`lost: ${name}`)
        if (!isDue && found.length > 0) faults.push(`unexpected: ${name}`)
        if (found.length > 1) faults.push(`twice: ${name}`)
        if (found.length > 0 && isDropped) faults.push(`without a body: ${name}`)
        for (const annotation of found) faults.push(...wordingFaults(annotation, watcher, relevance, version, name))
        if (found.length > 0) wasNotified = version.reason !== 'gone'
      }
    }
  }
  for (const [key, [annotation]] of left) faults.push(`unexpected: ${key} of ${annotation!.url}`)
  const all = [...kept.values()].flat()
  return { faults, versions: all.length, gone: all.filter(({ edition }) => edition === null).length }
}

function wordingFaults(
  { relevance: found, kind, owner }: Annotation,
  watcher: Watcher,
  relevance: number | null,
  version: Version,
  name: string,
): string[] {
  const faults: string[] = []
  if (kind !== version.reason) faults.push(`called ${kind}: ${name}`)
  if (owner !== watcher.owner) faults.push(`sent to ${owner}: ${name}`)
  if (version.reason !== 'gone' && found !== relevance) faults.push(`relevance ${found} for ${relevance}: ${name}`)
  return faults
}

/** `isDropped`: the collector removed the body because no profile needed it; its digest still identifies the edition. */
type StoredVersion = { version: Version; edition: Edition | null; isDropped: boolean }

async function readStored(data: string, site: NewsSite): Promise<Map<string, StoredVersion[]>> {
  const db = openCatalogForReading(data)
  try {
    const versions = createSqliteVersions(db)
    const bodies = createBodyReader({ versions, objects: createSqliteObjects(db, paths.archive(data)) })
    const kept = new Map<string, StoredVersion[]>()
    for (const version of await versions.versions({ after: 0, limit: 1_000_000 })) {
      const read = await bodies.read(version)
      const isDropped = read.kind === 'absent' && read.why === 'dropped'
      const edition = read.kind === 'body' ? readEdition(read.body.toString('latin1')) : null
      const path = new URL(version.url).pathname
      const stored = { version, edition: isDropped ? site.editionOf(version.digest) : edition, isDropped }
      kept.set(path, [...(kept.get(path) ?? []), stored])
    }
    return kept
  } finally {
    db.close()
  }
}

/** No edition is stored twice, and the last one of each page is the current one. */
function historyFaults(kept: Map<string, StoredVersion[]>, site: NewsSite): string[] {
  const faults: string[] = []
  for (const path of site.paths) {
    const versions = kept.get(path) ?? []
    const editions = versions.flatMap(({ edition }) => edition?.edition ?? [])
    if (new Set(editions).size !== editions.length) faults.push(`an edition of ${path} is stored twice`)
    if (versions.some(({ version, edition }) => (edition === null) !== (version.reason === 'gone')))
      faults.push(`a body of ${path} cannot be read`)
    if (versions.at(-1)?.isDropped) faults.push(`the current body of ${path} was dropped`)
    const last = versions.at(-1)?.edition?.edition
    const now = site.now(path)?.edition
    if (last !== now) faults.push(`${path} is stored as edition ${last} but is ${now}`)
  }
  return faults
}
