import { createHash } from 'node:crypto'
import { noCheck, type Offer, type QueuedRequest, UNLIMITED_DEPTH } from '../../core/request.ts'
import type { CollectableVersion } from '../contracts/collection.ts'
import type { Capture, NoteOutcome } from '../contracts/documents.ts'
import type { CompletedRequests, FrontierStore } from '../contracts/frontier.ts'
import type { Version } from '../contracts/versions.ts'

/** Signed 64 bits of a hash: fingerprints use the whole range, including negative values. */
export function fingerprintOf(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigInt64LE(0)
}

export function offerOf(host: string, path: string, parts: Partial<Offer> = {}): Offer {
  const url = `http://${host}${path}`
  const fp = fingerprintOf(url)
  const base = { parent: '', depth: UNLIMITED_DEPTH, hops: 0, redirects: 0, priority: 0, check: noCheck }
  return { url, host, fp, ...base, ...parts }
}

/** Offers of one host: `/0`, `/1`, … */
export function offersOf(host: string, count: number, parts: Partial<Offer> = {}): Offer[] {
  return Array.from({ length: count }, (_, n) => offerOf(host, `/${n}`, parts))
}

export function batchOf(parts: Partial<CompletedRequests>): CompletedRequests {
  return { offers: [], done: [], again: [], hosts: [], ...parts }
}

/** All queued requests of a shard, host by host, in the order they would be fetched. */
export async function queueOf(store: FrontierStore): Promise<QueuedRequest[]> {
  const rows: QueuedRequest[] = []
  for (const { id } of await store.hosts(10_000, new Set())) rows.push(...(await store.next(id, null, 100_000)))
  return rows
}

export async function queuedUrls(store: FrontierStore): Promise<string[]> {
  return (await queueOf(store)).map(({ url }) => url)
}

type BodyCapture = Extract<Capture, { kind: 'body' }>

/** A page that answered with `body`. Its record shows whether the body itself or a reference was rendered. */
export function pageOf(
  host: string,
  path: string,
  body: string | Buffer,
  parts: Partial<BodyCapture> = {},
): BodyCapture {
  const url = `http://${host}${path}`
  return {
    kind: 'body',
    host,
    fp: fingerprintOf(url),
    url,
    parent: '',
    check: noCheck,
    hops: 0,
    at: 1_000,
    run: 1,
    status: 200,
    address: '192.0.2.1',
    type: 'text/html',
    digest: createHash('sha256').update(body).digest(),
    size: Buffer.byteLength(body),
    etag: '',
    lastModified: '',
    truncated: '',
    title: '',
    text: null,
    textRules: 0,
    sameTextAs: 0,
    freshUntil: 0,
    links: [],
    linkKeys: Buffer.alloc(0),
    linkNaming: 0,
    render: (original) => [
      Buffer.from(recordText(url, original === null ? String(body) : `see ${original.url} ${original.at}`)),
    ],
    ...parts,
  }
}

export function recordText(url: string, content: string): string {
  return `<${url}>${content}</>`
}

export function noteOf(host: string, path: string, outcome: NoteOutcome, parts: Partial<Capture> = {}): Capture {
  const url = `http://${host}${path}`
  const base = { ...nameOf(host, url), at: 2_000, run: 1, status: 304, address: '192.0.2.1' }
  return { kind: 'note', outcome, reason: '', location: '', freshUntil: null, ...base, ...parts } as Capture
}

/** A page that answered that it no longer exists. */
export function goneOf(host: string, path: string, parts: Partial<Capture> = {}): Capture {
  const url = `http://${host}${path}`
  const base = { ...nameOf(host, url), at: 2_000, run: 1, status: 404, address: '192.0.2.1' }
  const render = () => [Buffer.from(recordText(url, 'gone'))]
  return { kind: 'gone', outcome: 'failed', reason: '', location: '', render, ...base, ...parts } as Capture
}

function nameOf(host: string, url: string) {
  return { host, fp: fingerprintOf(url), url, parent: '', check: noCheck, hops: 0 }
}

/** The row of a page that was stored once. */
export function versionOf(id: number, parts: Partial<Version> = {}): Version {
  return {
    id,
    documentId: 1,
    n: 1,
    url: 'http://a.example/',
    reason: 'new',
    firstSeenAt: 0,
    lastSeenAt: 0,
    status: 200,
    type: 'text/html',
    size: 1,
    digest: Buffer.alloc(32),
    textDigest: null,
    etag: '',
    lastModified: '',
    truncated: '',
    completed: '',
    title: '',
    address: '192.0.2.1',
    location: '',
    body: 'kept',
    originalId: id,
    header: '',
    notice: null,
    record: null,
    ...parts,
  }
}

/** A version as the collector sees it: current, unless `parts` has `supersededAt`. */
export function collectableOf(id: number, parts: Partial<CollectableVersion> = {}): CollectableVersion {
  const isCurrent = (parts.supersededAt ?? null) === null
  return {
    id,
    documentId: id,
    n: 1,
    url: 'http://a.example/',
    at: 0,
    current: isCurrent,
    body: 'kept',
    bytes: 100,
    originalId: id,
    shared: false,
    pinnedBy: null,
    wanted: true,
    supersededAt: null,
    newer: isCurrent ? 0 : 1,
    ...parts,
  }
}
