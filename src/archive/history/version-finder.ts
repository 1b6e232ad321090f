import { AppError } from '../../core/errors.ts'
import { hostKey } from '../../core/url/partition.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'

export type FinderDeps = {
  versions: VersionStore
  /** The key under which a crawl files a URL; null if it isn't one. */
  keyOf(url: string): DocumentKey | null
}

export type FoundVersion = { document: CataloguedDocument; version: Version }

/** Finds documents and versions by what users type. Errors name the nearest match. */
export type VersionFinder = {
  document(url: string): Promise<CataloguedDocument>
  /** The version an address such as `URL@3` names; the current one for a plain URL. */
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
      // Also if the choice was in a part that is in no key, such as a fragment.
      if (before) return { document: before, choice: split!.choice }
    }
    throw await unknown(versions, split?.url ?? address)
  }

  async function choose(document: CataloguedDocument, choice: VersionChoice): Promise<Version> {
    if (document.versionId === 0) throw new AppError('not-found', nothingKept(document))
    const version = await chosen(versions, document, choice)
    if (version === null) throw new AppError('not-found', await missingVersion(versions, document, choice))
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
      if (choice === null) throw new AppError('usage-wrong', `${text} is neither a version number nor a time`)
      return choose(document, choice)
    },
  }
}

/** The document of a URL as a user types it; null if it is not in the archive. */
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

/** Under the settings of an earlier crawl, this URL may have another key. */
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
  const hint = near.length === 0 ? '' : `; archived from that host: ${near.join(' ')}`
  return new AppError('not-found', `${url} is not in the archive${hint}`)
}

function nothingKept({ url, outcome, status, location }: CataloguedDocument): string {
  const answer = status === 0 ? '' : ` with status ${status}`
  return `no version of ${url} is kept; outcome of the last request: ${outcome}${answer}${location === '' ? '' : `, to ${location}`}`
}

async function missingVersion(
  versions: VersionStore,
  document: CataloguedDocument,
  choice: VersionChoice,
): Promise<string> {
  const [first] = await versions.history(document.id, { after: 0, limit: 1 })
  const last = await versions.version(document.versionId)
  const range = `versions ${first?.n} to ${last?.n}`
  if (choice.kind === 'number') return `${document.url} has no version ${choice.n}; there are ${range}`
  const since =
    first === undefined ? '' : `; version ${first.n} dates from ${new Date(first.firstSeenAt).toISOString()}`
  return `${document.url} had no version at that time${since}`
}

/** A hint may take a moment, but not a scan of millions of rows. */
const maxLookedAt = 20_000
const pageSize = 2_000
const maxNamed = 3

/** Kept URLs of the same host that share the longest prefix with an unknown one. Only the first documents are scanned. */
async function nearestUrls(versions: Pick<VersionStore, 'documents'>, url: string): Promise<string[]> {
  if (!URL.canParse(url)) return []
  const wanted = new URL(url).href
  const host = hostKey(wanted)
  const near: { url: string; shared: number }[] = []
  let after = 0
  for (let looked = 0; looked < maxLookedAt; looked += pageSize) {
    const page = await versions.documents({ after, limit: pageSize })
    for (const document of page) {
      if (document.host !== host || document.versionId === 0) continue
      near.push({ url: document.url, shared: sharedStart(document.url, wanted) })
    }
    near.sort((a, b) => b.shared - a.shared || a.url.length - b.url.length)
    near.length = Math.min(near.length, maxNamed)
    if (page.length < pageSize) break
    after = page.at(-1)!.id
  }
  return near.map((each) => each.url)
}

/** The scheme is ignored: `http` for `https` is a common slip. */
function sharedStart(a: string, b: string): number {
  const restA = a.slice(a.indexOf('://'))
  const restB = b.slice(b.indexOf('://'))
  let length = 0
  while (length < restA.length && restA.charCodeAt(length) === restB.charCodeAt(length)) length++
  return length
}

/**
 * How a version is named: `URL`, `URL@3`, `URL@2026-11-01T12:00`, `URL@first`, `URL@last`. URLs may contain an `@` themselves, so a
 * text can be read in two ways; which one applies depends on the documents that exist.
 */
export type VersionChoice =
  | { kind: 'number'; n: number }
  | { kind: 'time'; at: number }
  | { kind: 'first' }
  | { kind: 'last' }

type AddressReading = { url: string; choice: VersionChoice }

export const lastVersion: VersionChoice = { kind: 'last' }

/** The text as a plain URL and, if its end may name a version, the URL before that. */
export function readAddress(text: string): { whole: AddressReading; split: AddressReading | null } {
  const at = text.lastIndexOf('@')
  const choice = at > 0 ? readChoice(text.slice(at + 1)) : null
  const split = choice === null ? null : { url: text.slice(0, at), choice }
  return { whole: { url: text, choice: lastVersion }, split }
}

export function readChoice(text: string): VersionChoice | null {
  if (text === 'first' || text === 'last') return { kind: text }
  if (/^[1-9]\d{0,8}$/.test(text)) return { kind: 'number', n: Number(text) }
  const at = readTime(text)
  return at === null ? null : { kind: 'time', at }
}

const timeFormat =
  /^(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?)?$/i

/** ISO 8601, at least year and month. The default zone is UTC; missing parts get their lowest value. Null for anything else. */
export function readTime(text: string): number | null {
  const match = timeFormat.exec(text)
  if (match === null) return null
  const [, year, month, day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const millis = fraction.padEnd(3, '0').slice(0, 3)
  const plain = `${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`
  const at = Date.parse(plain)
  // Dates such as 31 February would overflow into the next month.
  if (Number.isNaN(at) || new Date(at).toISOString() !== plain) return null
  const offset = zoneMinutes(zone)
  return offset === null ? null : at - offset * 60_000
}

function zoneMinutes(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || '0')
  if (hours > 23 || minutes > 59) return null
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
