import { createBodyReader } from '../../src/archive/body-reader.ts'
import type { Profile, Scope } from '../../src/core/profile.ts'
import type { Annotation } from '../../src/store/contracts/annotations.ts'
import type { Version } from '../../src/store/contracts/versions.ts'
import { createSqliteObjects } from '../../src/store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../../src/store/sqlite/documents/versions.ts'
import { openCatalogForReading, paths } from '../../src/store/sqlite/folder/folder.ts'
import { profileOf, sourceOf } from '../watch/up-run.ts'
import { type Edition, hopsFromFront, type NewsSite, readEdition } from './news-site.ts'

/** Who watches the news site, and by a rule of thumb what it means to them. */
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
  /** Whether a page is part of it, told by its path alone. */
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

/** Pages that two sources lead to: each is checked at its own pace and need not see what came and went in between. */
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

/** Null where it does not concern the watcher. */
function relevanceTo({ process, keywords, exclude, threshold }: Watcher, { words }: Edition): number | null {
  if (process === 'track') return 1
  if (exclude.some((word) => words.includes(word))) return null
  const relevance = words.reduce((sum, word) => sum + (keywords[word] ?? 0), 0)
  return relevance > 0 && relevance >= threshold ? relevance : null
}

export type ImpliedInput = { data: string; site: NewsSite; annotations: readonly Annotation[] }

/** Each watcher held against each version that is kept: what is lacking, what is there twice, and what nobody was to be told. */
export async function impliedFaults({ data, site, annotations }: ImpliedInput) {
  const kept = await readKept(data)
  const faults = [...historyFaults(kept, site)]
  const left = new Map<string, Annotation[]>()
  for (const annotation of annotations) {
    const key = `${annotation.profile} ${annotation.versionId}`
    left.set(key, [...(left.get(key) ?? []), annotation])
  }
  for (const watcher of watchers) {
    for (const [path, versions] of kept) {
      let wasTold = false
      for (const [place, { version, edition }] of versions.entries()) {
        const key = `${watcher.id} ${version.id}`
        const found = left.get(key) ?? []
        left.delete(key)
        const isFollowed = watcher.process === 'track' || wasTold
        const relevance = edition === null ? (isFollowed ? 1 : null) : relevanceTo(watcher, edition)
        const isDue = watcher.covers(path) && relevance !== null
        const mayLack = isShared(path) && place < versions.length - 1
        const name = `${watcher.id}: ${path}@${version.n} (${version.reason}, edition ${edition?.edition})`
        if (isDue && found.length === 0 && !mayLack) faults.push(`lost: ${name}`)
        if (!isDue && found.length > 0) faults.push(`foreign: ${name}`)
        if (found.length > 1) faults.push(`twice: ${name}`)
        for (const annotation of found) faults.push(...wordingFaults(annotation, watcher, relevance, version, name))
        if (found.length > 0) wasTold = version.reason !== 'gone'
      }
    }
  }
  for (const [key, [annotation]] of left) faults.push(`foreign: ${key} of ${annotation!.url}`)
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
  if (owner !== watcher.owner) faults.push(`told to ${owner}: ${name}`)
  if (version.reason !== 'gone' && found !== relevance) faults.push(`relevance ${found} for ${relevance}: ${name}`)
  return faults
}

type KeptVersion = { version: Version; edition: Edition | null }

async function readKept(data: string): Promise<Map<string, KeptVersion[]>> {
  const db = openCatalogForReading(data)
  try {
    const versions = createSqliteVersions(db)
    const bodies = createBodyReader({ versions, objects: createSqliteObjects(db, paths.archive(data)) })
    const kept = new Map<string, KeptVersion[]>()
    for (const version of await versions.versions({ after: 0, limit: 1_000_000 })) {
      const read = await bodies.read(version)
      const edition = read.kind === 'body' ? readEdition(read.body.toString('latin1')) : null
      const path = new URL(version.url).pathname
      kept.set(path, [...(kept.get(path) ?? []), { version, edition }])
    }
    return kept
  } finally {
    db.close()
  }
}

/** No edition is kept twice, and the last of each page is what the site says now. */
function historyFaults(kept: Map<string, KeptVersion[]>, site: NewsSite): string[] {
  const faults: string[] = []
  for (const path of site.paths) {
    const versions = kept.get(path) ?? []
    const editions = versions.flatMap(({ edition }) => edition?.edition ?? [])
    if (new Set(editions).size !== editions.length) faults.push(`an edition of ${path} is kept twice`)
    if (versions.some(({ version, edition }) => (edition === null) !== (version.reason === 'gone')))
      faults.push(`a body of ${path} can not be read`)
    const last = versions.at(-1)?.edition?.edition
    const now = site.now(path)?.edition
    if (last !== now) faults.push(`${path} is kept as edition ${last} and is ${now}`)
  }
  return faults
}
