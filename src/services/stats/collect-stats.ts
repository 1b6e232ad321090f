import { createBodyReader } from '../../archive/body-reader.ts'
import { readAhead } from '../../archive/read-ahead.ts'
import type { Clock } from '../../core/clock.ts'
import type { StatsProgress, StatsReport } from '../../core/reports/stats-report.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import { createContentStats } from './content-stats.ts'
import { createDistribution, createTally, powersOfTwo, rangeName } from './tally.ts'

export type StatsDeps = {
  versions: VersionStore
  objects: ObjectStore
  clock: Clock
  signal: AbortSignal
  onProgress(progress: StatsProgress): void
}

const PAGE = 1000
/** Maximum number of documents whose distance from a seed, time of observation and body are remembered: some 200 MB. */
const MAX_REMEMBERED = 1_000_000
const MAX_WAITING = 100_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Statistics of the whole archive, in two passes: over the catalogue of documents, and over their current versions, of which a sample
 * is read. Memory is bounded: names beyond a limit are counted together, and documents beyond a million are left out of statistics
 * that need to remember them.
 */
export async function collectStats(deps: StatsDeps, { sample }: { sample: number }): Promise<StatsReport> {
  const { versions, clock, signal, onProgress } = deps
  const startedAt = clock.monotonic()
  const catalogue = createCatalogueStats()
  for (let after = 0; !signal.aborted; ) {
    const page = await versions.documents({ after, limit: PAGE })
    for (const document of page) catalogue.add(document)
    onProgress({ stage: 'counting', done: catalogue.counts.documents, total: null })
    if (page.length < PAGE) break
    after = page.at(-1)!.id
  }
  const { kept } = catalogue.counts
  const content = createContentStats()
  const current = createCurrentStats(catalogue.observedMs)
  const step = sample === 0 ? 1 : Math.max(1, Math.ceil(kept / sample))
  const bodies = createBodyReader(deps)
  let read = 0
  async function* sampled(): AsyncGenerator<Version> {
    for (let before = Number.MAX_SAFE_INTEGER; !signal.aborted; ) {
      const page = await versions.current({ before, limit: PAGE })
      for (const version of page) {
        if (version.reason === 'gone') continue
        current.add(version)
        if (isSampled(version.id, step) && version.body === 'kept') yield version
      }
      onProgress({ stage: 'reading', done: current.counts.versions, total: kept })
      if (page.length < PAGE) return
      before = page.at(-1)!.id
    }
  }
  const contentOf = async (version: Version) =>
    ({ body: await bodies.readText(version), links: await versions.links(version.id) }) as const
  for await (const [version, { body, links }] of readAhead(sampled(), contentOf, { weigh: ({ size }) => size })) {
    if (signal.aborted) break
    content.add(version, body, links)
    read++
  }
  const { documents, hosts } = catalogue.counts
  const { versions: present, bytes, duplicates } = current.counts
  return {
    at: new Date(clock.now()).toISOString(),
    ...{ documents, kept: present, hosts, bytes, sample: { read, of: present } },
    duplicates: { exact: duplicates, ...content.duplicates() },
    tables: [...catalogue.tables(), ...current.tables(), ...content.tables()],
    seconds: Math.round((clock.monotonic() - startedAt) / 10) / 100,
    interrupted: signal.aborted,
  }
}

/** Samples one in `step` ids by hash, because pages of one site have consecutive ids. */
function isSampled(id: number, step: number): boolean {
  return (Math.imul(id, 0x9e3779b1) >>> 0) % step === 0
}

function createCatalogueStats() {
  const counts = { documents: 0, kept: 0, hosts: 0 }
  const observedMs = new Map<number, number>()
  const distances = new Map<string, number>()
  const statuses = createTally()
  const outcomes = createTally()
  const hosts = createTally()
  const lengths = createDistribution([20, 40, 60, 80, 100, 150, 200, 300, 500, 1000, 2000], rangeName, 1)
  const hops = createDistribution([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50, 100], rangeName)
  /** Documents that came before the page that links to them, as happens when they are stored together. */
  let waiting: Pick<CataloguedDocument, 'url' | 'parent'>[] = []
  let unknownHops = 0

  function hasDistance({ url, parent }: Pick<CataloguedDocument, 'url' | 'parent'>): boolean {
    const before = parent === '' ? -1 : distances.get(parent)
    if (before === undefined) return false
    if (distances.size < MAX_REMEMBERED) distances.set(url, before + 1)
    hops.add(before + 1)
    return true
  }

  function countDistance({ url, parent }: CataloguedDocument): void {
    if (hasDistance({ url, parent })) return
    if (waiting.length < MAX_WAITING) waiting.push({ url, parent })
    else unknownHops++
  }

  function countWaiting(): void {
    for (let last = -1; waiting.length !== last; ) {
      last = waiting.length
      waiting = waiting.filter((document) => !hasDistance(document))
    }
    unknownHops += waiting.length
    waiting = []
  }

  return {
    counts,
    observedMs: observedMs as ReadonlyMap<number, number>,
    add(document: CataloguedDocument): void {
      counts.documents++
      if (document.status > 0) statuses.add(String(document.status))
      outcomes.add(document.reason === '' ? document.outcome : `${document.outcome}: ${document.reason}`)
      hosts.add(document.host)
      counts.hosts = hosts.names
      lengths.add(document.url.length)
      countDistance(document)
      if (document.versionId === 0) return
      counts.kept++
      if (observedMs.size < MAX_REMEMBERED) observedMs.set(document.id, document.checkedAt - document.firstAt)
    },
    tables() {
      countWaiting()
      return [
        statuses.table({ id: 'statuses', title: 'Status codes', note: 'of the last answer of each document' }),
        outcomes.table({ id: 'outcomes', title: 'Outcomes', note: 'of the last request of each document' }),
        hosts.table({ id: 'hosts', title: 'Hosts', note: 'documents' }),
        lengths.table({ id: 'urlLengths', title: 'Lengths of URLs', note: 'documents by characters' }),
        hops.table({
          id: 'distances',
          title: 'Links from a seed',
          note: `documents by the links that led to them when they were found${unknownHops === 0 ? '' : `; unknown for ${unknownHops}`}`,
        }),
      ]
    },
  }
}

const rates = [
  { name: 'no change seen', perDay: 0 },
  { name: 'less than monthly', perDay: 1 / 30 },
  { name: 'monthly to weekly', perDay: 1 / 7 },
  { name: 'weekly to daily', perDay: 1 },
  { name: 'daily to hourly', perDay: 24 },
] as const

function createCurrentStats(observedMs: ReadonlyMap<number, number>) {
  const counts = { versions: 0, bytes: 0, duplicates: 0 }
  const types = createTally()
  const bytesByType = createTally()
  const kib = (value: number): string => (value >= 2 ** 20 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`)
  const sizes = createDistribution(
    Array.from({ length: 16 }, (_, power) => 2 ** (10 + power)),
    (from, to) => (to === Number.POSITIVE_INFINITY ? `over ${kib(from - 1)}` : `up to ${kib(to)}`),
  )
  const perDocument = createDistribution(powersOfTwo(10).slice(1), rangeName, 1)
  const changes = createDistribution([...rates.keys(), rates.length], (_, to) =>
    to === 0 ? 'checked once' : (rates[to - 1]?.name ?? 'more than hourly'),
  )
  const bodies = new Set<string>()

  /** Bounds are indexes into `rates` plus one; 0 is for pages checked only once. */
  function countRate({ documentId, n }: Version): void {
    const observed = observedMs.get(documentId)
    if (observed === undefined) return
    const perDay = ((n - 1) * DAY_MS) / Math.max(observed, HOUR_MS)
    const rate = rates.findIndex((each) => perDay <= each.perDay)
    if (observed === 0) changes.add(0)
    else changes.add(rate < 0 ? rates.length + 1 : rate + 1)
  }

  return {
    counts,
    add(version: Version): void {
      counts.versions++
      counts.bytes += version.size
      const type = version.type.split(';', 1)[0]!.trim().toLowerCase() || 'none'
      types.add(type)
      bytesByType.add(type, version.size)
      sizes.add(version.size)
      perDocument.add(version.n)
      countRate(version)
      const digest = version.digest.toString('latin1', 0, 12)
      if (bodies.has(digest)) counts.duplicates++
      else if (bodies.size < MAX_REMEMBERED) bodies.add(digest)
    },
    tables: () => [
      types.table({ id: 'mediaTypes', title: 'Media types', note: 'current versions' }),
      bytesByType.table({ id: 'bytes', title: 'Bytes by media type', note: 'of the current bodies, decoded' }),
      sizes.table({ id: 'sizes', title: 'Sizes', note: 'current versions by the size of the body' }),
      perDocument.table({
        id: 'versions',
        title: 'Versions of a document',
        note: 'documents by the versions seen so far',
      }),
      changes.table({
        id: 'changes',
        title: 'Change rates',
        note: 'documents by changes seen over the time they were observed; faster changes than checks are not seen',
      }),
    ],
  }
}
