import { createHash } from 'node:crypto'
import type { PostgresStores } from '../../src/app/engines/postgres-stores.ts'
import { responseRecord, revisitRecord } from '../../src/archive/warc/record-writer.ts'
import { configOf } from '../../src/config/load-config.ts'
import { bodyDigest, digestText } from '../../src/core/fingerprint.ts'
import { noCheck } from '../../src/core/request.ts'
import { createKeys } from '../../src/crawl/normalize/document-keys.ts'
import { draftOf, nothing } from '../../src/store/conformance/annotations-suite.testkit.ts'
import type { AnnotationDraft } from '../../src/store/contracts/annotations.ts'
import type { Capture } from '../../src/store/contracts/documents.ts'
import { createPostgresDocuments } from '../../src/store/postgres/documents/documents.ts'

export type KeptPage = { url: string; documentId: number; versionId: number }

/** Keeps pages in the store of a cluster, as a worker would that has just fetched them. */
export async function keepPages(stores: PostgresStores, pages: Record<string, string>): Promise<KeptPage[]> {
  const { pool, versions, seed } = stores
  await pool.query(`UPDATE leases SET epoch = greatest(epoch, 1)`)
  const epochs = await pool.query<{ partition: number; epoch: number }>('SELECT partition, epoch FROM leases')
  const epochOf = new Map(epochs.map(({ partition, epoch }) => [partition, epoch]))
  const documents = createPostgresDocuments({ pool, epochOf: (partition) => epochOf.get(partition)! })
  const keyOf = createKeys(configOf(), seed)
  const kept: KeptPage[] = []
  for (const [url, body] of Object.entries(pages)) {
    const key = keyOf(url)!
    await documents.record([captureOf(url, Buffer.from(body), key)])
    const document = (await versions.document(key))!
    kept.push({ url, documentId: document.id, versionId: document.versionId })
  }
  return kept
}

function captureOf(url: string, body: Buffer, key: { host: string; fp: bigint }): Capture {
  const at = Date.now()
  const digest = createHash('sha256').update(body).digest()
  const common = {
    uri: url,
    date: at,
    address: '127.0.0.1',
    statusLine: 'HTTP/1.1 200 OK',
    rawHeaders: ['Content-Type', 'text/html'],
    payloadDigest: digestText(bodyDigest(body)),
  }
  return {
    kind: 'body',
    ...key,
    url,
    parent: '',
    check: noCheck,
    hops: 0,
    at,
    run: 1,
    status: 200,
    address: '127.0.0.1',
    type: 'text/html',
    digest,
    size: body.length,
    etag: '',
    lastModified: '',
    truncated: '',
    title: /<title>(.*?)<\/title>/.exec(body.toString())?.[1] ?? '',
    text: null,
    textRules: 0,
    sameTextAs: 0,
    freshUntil: 0,
    links: [],
    linkKeys: Buffer.alloc(0),
    linkNaming: 0,
    render: (original) =>
      original === null
        ? responseRecord({ ...common, body, truncated: null }).parts
        : revisitRecord({
            ...common,
            profile: 'identical-payload-digest',
            refersToUri: original.url,
            refersToDate: original.at,
          }).parts,
  }
}

export const draftFor = ({ documentId, versionId }: KeptPage, owner: string, profile: string): AnnotationDraft =>
  draftOf(documentId, versionId, { owner, profile })

export function commitDrafts({ annotations }: Pick<PostgresStores, 'annotations'>, drafts: readonly AnnotationDraft[]) {
  return annotations.settle({ ...nothing, annotations: drafts })
}
