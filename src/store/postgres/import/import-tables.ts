import type { ImportKind, ImportRow } from '../../contracts/import.ts'
import { draftColumns } from '../annotations/annotation-rows.ts'
import { storable } from '../connection/row-batch.ts'
import { partitionOfDigest } from '../documents/documents-bodies.ts'
import { linkHash } from '../documents/documents-plan.ts'
import { wordsVector } from '../inbox/inbox-words.ts'

/** `packed` is also bytea, but sent in binary instead of hexadecimal. */
export type ColumnType = 'bigint' | 'int' | 'smallint' | 'float8' | 'boolean' | 'text' | 'bytea' | 'tsvector' | 'packed'

export type ImportColumn = { name: string; type: ColumnType; checked: boolean }

export type ImportTable = {
  name: string
  columns: readonly ImportColumn[]
  key: readonly string[]
  /** Derives this table's row, if it isn't simply a subset of the columns. */
  derive?(row: ImportRow): ImportRow
  /** Whether several source rows may produce the same row. */
  isShared?: boolean
}

/** `id:bigint host:text …`; a column marked with `?` isn't compared. */
function columnsOf(text: string): ImportColumn[] {
  return text
    .trim()
    .split(/\s+/)
    .map((each) => {
      const [name = '', type] = each.split(':')
      return { name: name.replace('?', ''), type: type as ColumnType, checked: !name.endsWith('?') }
    })
}

function table(name: string, key: string, columns: string, more: Partial<ImportTable> = {}): ImportTable {
  return { name, key: key.split(' '), columns: columnsOf(columns), ...more }
}

const annotations = [
  table('annotations', 'id', `id:bigint ${draftColumns.map(([name, type]) => `${name}:${type}`).join(' ')} url:text`),
  table(
    'inbox',
    'owner id',
    `owner:text id:bigint profile:text document:bigint entry:text version:bigint at:bigint urgency:float8 read:boolean starred:boolean
     archived:boolean`,
  ),
  table('inbox_owners', 'owner', 'owner:text', { isShared: true }),
  table('inbox_words', 'annotation', 'annotation:bigint words:tsvector', { derive: wordsOf }),
]

/** The tables that rows of each kind go to; the first one is counted. */
export const importTables: Record<ImportKind, readonly ImportTable[]> = {
  runs: [table('runs', 'id', 'id:bigint started_at:bigint finished_at:bigint')],
  accounts: [
    table(
      'accounts',
      'id',
      `id:bigint email:text name:text role:text level:text password:text disabled:boolean created_at:bigint settings:text`,
    ),
  ],
  sessions: [
    table(
      'sessions',
      'id',
      `id:bigint hash:bytea account:bigint created_at:bigint seen_at:bigint expires_at:bigint agent:text address:text`,
    ),
  ],
  tokens: [
    table(
      'tokens',
      'id',
      `id:bigint hash:bytea account:bigint name:text scopes:text created_at:bigint used_at:bigint expires_at:bigint`,
    ),
  ],
  failures: [table('failures', 'key', 'key:text count:bigint last_at:bigint')],
  credentials: [
    table(
      'credentials',
      'id',
      `id:text owner:text name:text kind:text hint:text sealed:bytea created_at:bigint changed_at:bigint used_at:bigint
       failed_since:bigint failure:text failures:int retry_at:bigint`,
    ),
  ],
  watches: [
    table(
      'watches',
      'id',
      `id:bigint key:text uri:text landed:text round:bigint mark:bigint finished_mark:bigint checked_at:bigint outcome:text
       status:int since:bigint changed_at:bigint state:text visits:text`,
    ),
  ],
  crawls: [
    table(
      'crawls',
      'id',
      `id:bigint asked_by:text asked_at:bigint request:text state:text stop_asked:boolean started_at:bigint ended_at:bigint
       queued:bigint counts:text reason:text`,
    ),
  ],
  profiles: [table('profiles', 'id', 'id:text owner:text revision:bigint body:text')],
  urds: [
    table(
      'urds',
      'id',
      `id:bigint profile:text place:int watch:bigint visited_at:bigint paused:boolean muted:boolean aside:text
       aside_url:text selected:text selected_since:bigint selected_version:bigint`,
    ),
  ],
  checks: [table('checks', 'watch at', 'watch:bigint at:bigint outcome:text status:int changed:bigint took_ms:bigint')],
  hosts: [
    table(
      'hosts',
      'partition id',
      `partition:smallint id:bigint host:text run:bigint queued:bigint accepted:bigint given_up:boolean next_at:bigint failures:int
       rests:int`,
    ),
  ],
  seen: [table('seen', 'partition host fp', 'partition:smallint host:bigint fp:bigint run:bigint depth:int')],
  queue: [
    table(
      'queue',
      'partition seq',
      `partition:smallint seq:bigint host:bigint priority:bigint fp:bigint watch:bigint round:bigint fresh_from:bigint since:bigint
       first:boolean depth:int hops:int redirects:int attempts:int url:text parent:text`,
    ),
  ],
  robots: [
    table('robots', 'partition origin', 'partition:smallint origin:text kind:text body:bytea expires_at:bigint'),
  ],
  documents: [
    table(
      'documents',
      'partition id',
      `partition:smallint id:bigint host:text fp:bigint url:text parent:text first_at:bigint checked_at:bigint run:bigint status:int
       outcome:text reason:text failures:int location:text version:bigint seen_at:bigint fresh_until:bigint not_modified:int
       for_all:boolean`,
    ),
  ],
  links: [
    table('links', 'partition id', 'partition:smallint id:bigint naming:bigint hash:bytea keys:packed list:text', {
      derive: (row) => ({ ...row, hash: linkHash(row.list as string, row.naming as number) }),
    }),
  ],
  // `length` isn't compared: it depends on how the record was compressed here.
  versions: [
    table(
      'versions',
      'partition id',
      `partition:smallint id:bigint document:bigint n:int reason:text at:bigint seen_at:bigint status:int type:text size:bigint
       digest:bytea text:bytea text_rules:bigint etag:text last_modified:text truncated:text completed:text title:text address:text
       location:text body:text original:bigint record:bigint length?:bigint links:bigint wanted:boolean leaving:boolean
       header:text notice:text`,
    ),
  ],
  bodies: [
    table('bodies', 'partition digest', 'partition:smallint digest:bytea version:bigint', {
      derive: (row) => ({ ...row, partition: partitionOfDigest(row.digest as Buffer) }),
    }),
  ],
  tasks: [
    table(
      'tasks',
      'partition id',
      `partition:smallint id:bigint version:bigint document:bigint watch:bigint hops:int round:bigint first:boolean made:boolean
       attempts:int aside_at:bigint reason:text`,
    ),
  ],
  prices: [
    table(
      'prices',
      'partition document part version',
      `partition:smallint document:bigint part:text version:bigint at:bigint amount:float8 currency:text availability:text`,
    ),
  ],
  noise: [table('noise', 'partition document', 'partition:smallint document:bigint n:int state:text')],
  unmuted: [
    table(
      'unmuted',
      'partition document block owner',
      'partition:smallint document:bigint block:text owner:text at:bigint',
    ),
  ],
  reached: [
    table(
      'reached',
      'partition document watch',
      'partition:smallint document:bigint watch:bigint hops:int known:bigint',
    ),
  ],
  holds: [table('holds', 'partition version owner', 'partition:smallint version:bigint owner:text since:bigint')],
  annotations,
  also_at: [
    table('also_at', 'annotation version', 'annotation:bigint version:bigint document:bigint url:text draft:text'),
  ],
  channels: [
    table(
      'channels',
      'id',
      `id:text owner:text kind:text name:text settings:text created_at:bigint state:text reason:text failures:int
       retry_at:bigint sent_at:bigint next_at:bigint`,
    ),
  ],
  outbox: [
    table(
      'outbox',
      'annotation channel',
      'annotation:bigint channel:text created_at:bigint due_at:bigint message:text',
    ),
  ],
  messages: [
    table(
      'messages',
      'id',
      `id:text channel:text owner:text kind:text state:text subject:text annotations:text profiles:text left_out:int
       created_at:bigint attempts:int at:bigint answer:text`,
    ),
  ],
  stories: [
    table(
      'stories',
      'version',
      'version:bigint document:bigint host:text at:bigint story:bigint bands:text sketch:bytea',
    ),
  ],
  story_bands: [table('story_bands', 'band version', 'band:bigint version:bigint')],
  story_splits: [table('story_splits', 'owner document other', 'owner:text document:bigint other:bigint at:bigint')],
}

export const recordTable = table(
  'records',
  'partition id part',
  'partition:smallint id:bigint part:int coding:smallint bytes:packed',
)

function wordsOf(row: ImportRow): ImportRow {
  const text = (JSON.parse(row.summary as string) as { text?: string } | null)?.text ?? ''
  const words = wordsVector({
    owner: storable(row.owner as string),
    title: storable(row.title as string),
    text: storable(text),
    url: storable(row.url as string),
  })
  return { annotation: row.id!, words }
}
