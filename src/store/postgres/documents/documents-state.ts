import type { BodyState } from '../../contracts/documents.ts'
import type { VersionReason } from '../../contracts/versions.ts'
import type { TaskVersion } from '../../rules/tasks.ts'
import { type Columns, columnsOf } from '../connection/row-batch.ts'

/** A document's row as it will be written. */
export type DocumentState = {
  id: number
  host: string
  fp: bigint
  url: string
  parent: string
  firstAt: number
  checkedAt: number
  run: number
  status: number
  outcome: string
  reason: string
  failures: number
  location: string
  version: number
  seenAt: number
  freshUntil: number
  notModified: number
  /** Whether a crawl has fetched it. */
  forAll: boolean
  /** The current version; null if there is none. */
  current: VersionState | null
}

/** The part of a version that a new capture is compared with or may change. */
export type VersionState = {
  id: number
  n: number
  reason: VersionReason
  at: number
  seenAt: number
  digest: Buffer
  truncated: string
  etag: string
  lastModified: string
  body: BodyState
  original: number
  links: number
  /** Hash of the list that `links` names; null if there is none. */
  linkHash: Buffer | null
  linkNaming: number | null
  /** The version that brought the text, if this one differs only in links. */
  withText?: TaskVersion | undefined
}

export type VersionRow = VersionState & {
  document: number
  status: number
  type: string
  size: number
  text: Buffer | null
  textRules: number
  completed: string
  title: string
  address: string
  location: string
  record: number
  length: number
}

/** A version whose record is restored. */
export type RefillRow = {
  id: number
  digest: Buffer
  size: number
  text: Buffer | null
  textRules: number
  original: number
  record: number
  length: number
}

export type LinkRow = { id: number; naming: number; hash: Buffer; list: string; keys: Uint8Array }

export type TaskRow = {
  version: number
  document: number
  watch: number
  hops: number
  round: number
  first: boolean
  made: boolean
}

export const documentColumns = columnsOf<DocumentState>(
  `id:bigint host:text fp:bigint url:text parent:text firstAt:bigint checkedAt:bigint run:bigint status:int
   outcome:text reason:text failures:int location:text version:bigint seenAt:bigint freshUntil:bigint notModified:int
   forAll:boolean`,
)

export const documentChangeColumns: Columns<DocumentState> = documentColumns.filter(
  ([name]) => !['host', 'fp', 'url', 'parent', 'firstAt'].includes(name),
)

export const versionColumns = columnsOf<VersionRow>(
  `id:bigint document:bigint n:int reason:text at:bigint seenAt:bigint status:int type:text size:bigint
   digest:bytea text:bytea textRules:bigint etag:text lastModified:text truncated:text completed:text title:text address:text
   location:text body:text original:bigint record:bigint length:bigint links:bigint`,
)

export const versionChangeColumns = columnsOf<VersionState>(
  'id:bigint seenAt:bigint etag:text lastModified:text links:bigint',
)

export const refillColumns = columnsOf<RefillRow>(
  'id:bigint digest:bytea size:bigint text:bytea textRules:bigint original:bigint record:bigint length:bigint',
)

export type ReachedRow = { document: number; watch: number; hops: number }

export const reachedColumns = columnsOf<ReachedRow>('document:bigint watch:bigint hops:int')

export const taskColumns = columnsOf<TaskRow>(
  'version:bigint document:bigint watch:bigint hops:int round:bigint first:boolean made:boolean',
)
