import { AppError } from '../../core/errors.ts'
import { hostKey } from '../../core/partition.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import { nearestUrls } from './nearest-urls.ts'
import { type AddressReading, readAddress, readChoice, type VersionChoice } from './version-address.ts'

export type FinderDeps = {
  versions: VersionStore
  /** The key under which a crawl files a URL; null for what is none. */
  keyOf(url: string): DocumentKey | null
}

export type FoundVersion = { document: CataloguedDocument; version: Version }

/** Finds documents and versions by what people write. What is not there is told with the nearest that is. */
export type VersionFinder = {
  document(url: string): Promise<CataloguedDocument>
  /** The version that an address such as `URL@3` names; of a URL alone, the current one. */
  find(address: string): Promise<FoundVersion>
  /** A version of a known document: `3`, `2026-11-01T12:00`, `first`, `last`. */
  choose(document: CataloguedDocument, choice: string): Promise<Version>
}

export function createVersionFinder({ versions, keyOf }: FinderDeps): VersionFinder {
  const byKey = (url: string) => documentByKey({ versions, keyOf }, url)
  const bySpelling = (url: string) => documentBySpelling(versions, url)

  async function reading(address: string): Promise<{ document: CataloguedDocument; choice: VersionChoice }> {
    const { whole, split } = readAddress(address)
    const readings: AddressReading[] = split === null ? [whole] : [whole, split]
    for (const lookUp of [byKey, bySpelling]) {
      const [document, before] = await Promise.all(readings.map(({ url }) => lookUp(url)))
      if (document && document.id !== before?.id) return { document, choice: whole.choice }
      // Also where the choice stood in a part that no key has, such as a fragment.
      if (before) return { document: before, choice: split!.choice }
    }
    throw await unknown(versions, split?.url ?? address)
  }

  async function choose(document: CataloguedDocument, choice: VersionChoice): Promise<Version> {
    if (document.versionId === 0) throw new AppError('not-found', nothingKept(document))
    const version = await chosen(versions, document, choice)
    if (version === null) throw new AppError('not-found', await notThere(versions, document, choice))
    return version
  }

  return {
    async document(url) {
      const document = await findDocument({ versions, keyOf }, url)
      if (document === null) throw await unknown(versions, url)
      return document
    },
    async find(address) {
      const { document, choice } = await reading(address)
      return { document, version: await choose(document, choice) }
    },
    async choose(document, text) {
      const choice = readChoice(text)
      if (choice === null) throw new AppError('usage-wrong', `${text} is neither a version's number nor a time`)
      return choose(document, choice)
    },
  }
}

/** The document of a URL, spelt as people do; null where nothing is known of it. */
export async function findDocument(deps: FinderDeps, url: string): Promise<CataloguedDocument | null> {
  return (await documentByKey(deps, url)) ?? (await documentBySpelling(deps.versions, url))
}

async function documentByKey({ versions, keyOf }: FinderDeps, url: string): Promise<CataloguedDocument | null> {
  for (const spelling of spellings(url)) {
    const key = keyOf(spelling)
    const document = key === null ? null : await versions.document(key)
    if (document !== null) return document
  }
  return null
}

/** Settings of an earlier crawl may have made another key of this very URL. */
async function documentBySpelling(versions: VersionStore, url: string): Promise<CataloguedDocument | null> {
  for (const spelling of spellings(url)) {
    if (!URL.canParse(spelling)) continue
    const { href } = new URL(spelling)
    const document = await versions.documentOfUrl(hostKey(href), href)
    if (document !== null) return document
  }
  return null
}

function spellings(url: string): string[] {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? [url] : [`http://${url}`, `https://${url}`]
}

async function chosen(
  versions: VersionStore,
  document: CataloguedDocument,
  choice: VersionChoice,
): Promise<Version | null> {
  if (choice.kind === 'last') return versions.version(document.versionId)
  if (choice.kind === 'time') return versions.versionAt(document.id, choice.at)
  const wanted = choice.kind === 'first' ? null : choice.n
  const [version] = await versions.history(document.id, { after: (wanted ?? 1) - 1, limit: 1 })
  return version === undefined || (wanted !== null && version.n !== wanted) ? null : version
}

async function unknown(versions: VersionStore, url: string): Promise<AppError> {
  const near = await nearestUrls(versions, spellings(url)[0]!)
  const hint = near.length === 0 ? '' : `; kept of that host: ${near.join(' ')}`
  return new AppError('not-found', `nothing is known of ${url}${hint}`)
}

function nothingKept({ url, outcome, status, location }: CataloguedDocument): string {
  const answer = status === 0 ? '' : ` with status ${status}`
  return `no version of ${url} is kept: the last request ended as ${outcome}${answer}${location === '' ? '' : `, to ${location}`}`
}

async function notThere(versions: VersionStore, document: CataloguedDocument, choice: VersionChoice): Promise<string> {
  const [first] = await versions.history(document.id, { after: 0, limit: 1 })
  const last = await versions.version(document.versionId)
  const range = `versions ${first?.n} to ${last?.n}`
  if (choice.kind === 'number') return `${document.url} has no version ${choice.n}; there are ${range}`
  const since = first === undefined ? '' : `; version ${first.n} is of ${new Date(first.firstSeenAt).toISOString()}`
  return `${document.url} was not known yet at that time${since}`
}
