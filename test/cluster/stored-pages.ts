import type { PostgresStores } from '../../src/app/engines/postgres-stores.ts'
import { responseRecord } from '../../src/archive/warc/record-writer.ts'
import { configOf } from '../../src/config/load-config.ts'
import { noCheck } from '../../src/core/request.ts'
import { bodyDigest, digestText } from '../../src/core/url/fingerprint.ts'
import { createKeys } from '../../src/crawl/normalize/document-keys.ts'
import { draftOf, nothing } from '../../src/store/conformance/annotations-suite.testkit.ts'
import { pageOf } from '../../src/store/conformance/samples.testkit.ts'
import { createPostgresDocuments } from '../../src/store/postgres/documents/documents.ts'

export type StoredPage = { url: string; documentId: number; versionId: number }

/** Stores pages in a cluster, like a worker that has just fetched them for a watch; by default one without owners. */
export async function storePages(
  stores: PostgresStores,
  pages: Record<string, string>,
  watch = 999,
): Promise<StoredPage[]> {
  const { versions, seed } = stores
  const documents = await workerDocuments(stores)
  const keyOf = createKeys(configOf(), seed)
  const stored: StoredPage[] = []
  for (const [url, body] of Object.entries(pages)) {
    const key = keyOf(url)!
    const title = /<title>(.*?)<\/title>/.exec(body)?.[1] ?? ''
    const byWatch = { check: { ...noCheck, watch, round: 100 }, run: watch, hops: 1 }
    await documents.record([{ ...captureOf(url, body), ...key, ...byWatch, at: Date.now(), title }])
    const document = (await versions.document(key))!
    stored.push({ url, documentId: document.id, versionId: document.versionId })
  }
  return stored
}

/** The document store of a worker that holds all partitions. */
export async function workerDocuments({ pool }: Pick<PostgresStores, 'pool'>) {
  await pool.query(`UPDATE leases SET epoch = greatest(epoch, 1)`)
  const epochs = await pool.query<{ partition: number; epoch: number }>('SELECT partition, epoch FROM leases')
  const epochOf = new Map(epochs.map(({ partition, epoch }) => [partition, epoch]))
  return createPostgresDocuments({ pool, epochOf: (partition) => epochOf.get(partition)! })
}

/** A page with this text, as a shard passes it to the store after a check of a watch. */
export function watchedPage(host: string, path: string, text: string, watch: number) {
  const check = { ...noCheck, watch, round: 100 }
  const capture = captureOf(`http://${host}${path}`, `<html><body><p>${text}</p></body></html>`)
  return { ...capture, check, run: watch }
}

function captureOf(url: string, text: string) {
  const body = Buffer.from(text)
  const { host, pathname } = new URL(url)
  const record = responseRecord({
    uri: url,
    date: 1_000,
    address: '192.0.2.1',
    statusLine: 'HTTP/1.1 200 OK',
    rawHeaders: ['content-type', 'text/html'],
    body,
    payloadDigest: digestText(bodyDigest(body)),
    truncated: null,
  })
  return pageOf(host, pathname, text, { render: () => record.parts })
}

/** Stores an annotation of a page, as the annotation engine does, and returns its id. */
export async function annotatePage(
  { annotations }: Pick<PostgresStores, 'annotations'>,
  { documentId, versionId }: StoredPage,
  owner: string,
): Promise<number> {
  const draft = draftOf(documentId, versionId, { owner })
  const [made] = await annotations.commit({ ...nothing, annotations: [draft] })
  return made!.id
}
