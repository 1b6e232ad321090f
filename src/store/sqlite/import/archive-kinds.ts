import { partitionOf } from '../../../core/url/partition.ts'
import { columnNames, flagColumns } from '../inbox/annotation-rows.ts'
import { hostOfVersion, importedId, plainRow, type RawValue, type SourceKind } from './source-kind.ts'

/** `hostOfLinks`: the host of a link list whose own version was collected, while a later version of the document still refers to it. */
export type ArchiveContext = { hostOfLinks(id: number): string | null }

const hostOf = (value: RawValue | undefined): string | null => (typeof value === 'string' ? value : null)
const numberOf = (value: RawValue | undefined): number => value as number
const partitionOfHost = (host: string | null): number => (host === null ? 0 : partitionOf(host))

/** Fetched documents and what was derived from them. Rows have a partition, which is also part of their ids. */
export const archiveKinds: readonly SourceKind<ArchiveContext>[] = [
  {
    kind: 'documents',
    table: 'documents',
    keys: [['id', 'plain']],
    columns: `id, host, CAST(fp AS TEXT) AS fp, url, parent, first_at, checked_at, run, status, outcome, reason, failures, location,
      version, seen_at, fresh_until, not_modified, for_all`,
    from: 'FROM documents',
    toRow: (raw) => ({
      ...plainRow(raw, ['for_all']),
      partition: partitionOfHost(hostOf(raw.host)),
      id: importedId(numberOf(raw.id), hostOf(raw.host)),
      version: importedId(numberOf(raw.version), hostOf(raw.host)),
    }),
    portionRows: 1_000,
  },
  {
    kind: 'links',
    table: 'links',
    keys: [['l.id', 'plain']],
    columns: `l.id, l.naming, l.keys, l.list, ${hostOfVersion('l.id')} AS host`,
    from: 'FROM links l',
    toRow(raw, { hostOfLinks }) {
      const host = hostOf(raw.host) ?? hostOfLinks(numberOf(raw.id))
      const partition = partitionOfHost(host)
      return { ...plainRow(raw, [], ['host']), partition, id: importedId(numberOf(raw.id), host) }
    },
    portionRows: 500,
  },
  {
    kind: 'versions',
    table: 'versions',
    keys: [['v.id', 'plain']],
    columns: `v.id, v.document, v.n, v.reason, v.at, v.seen_at, v.status, v.type, v.size, v.digest, v.text, v.text_rules, v.etag,
      v.last_modified, v.truncated, v.completed, v.title, v.address, v.location, v.body, v.wanted, v.original, v.links, v.header, v.notice,
      v.file, v.offset, v.length, d.host,
      iif(v.original = v.id, d.host, ${hostOfVersion('v.original')}) AS original_host`,
    from: 'FROM versions v LEFT JOIN documents d ON d.id = v.document',
    toRow(raw) {
      const host = hostOf(raw.host)
      const id = importedId(numberOf(raw.id), host)
      return {
        ...plainRow(raw, ['wanted'], ['host', 'original_host', 'file', 'offset', 'length']),
        partition: partitionOfHost(host),
        id,
        document: importedId(numberOf(raw.document), host),
        original: importedId(numberOf(raw.original), hostOf(raw.original_host)),
        links: importedId(numberOf(raw.links), host),
        record: raw.file === 0 ? 0 : id,
        leaving: false,
      }
    },
    portionRows: 500,
  },
  {
    kind: 'bodies',
    table: 'bodies',
    keys: [['b.digest', 'bytes']],
    columns: `b.digest, b.version, ${hostOfVersion('b.version')} AS host`,
    from: 'FROM bodies b',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['host']),
      version: importedId(numberOf(raw.version), hostOf(raw.host)),
    }),
    portionRows: 2_000,
  },
  {
    kind: 'tasks',
    table: 'tasks',
    keys: [['t.id', 'plain']],
    columns: `t.id, t.version, coalesce(v.document, 0) AS document, t.watch, t.hops, t.round, t.first, t.made,
      t.attempts, t.aside_at, t.reason, d.host`,
    from: 'FROM tasks t LEFT JOIN versions v ON v.id = t.version LEFT JOIN documents d ON d.id = v.document',
    toRow(raw) {
      const host = hostOf(raw.host)
      return {
        ...plainRow(raw, ['first', 'made'], ['host']),
        partition: partitionOfHost(host),
        id: importedId(numberOf(raw.id), host),
        version: importedId(numberOf(raw.version), host),
        document: importedId(numberOf(raw.document), host),
      }
    },
    portionRows: 2_000,
  },
  {
    kind: 'reached',
    table: 'reached',
    keys: [
      ['r.document', 'plain'],
      ['r.watch', 'plain'],
    ],
    columns: 'r.document, r.watch, r.hops, r.known, d.host',
    from: 'FROM reached r LEFT JOIN documents d ON d.id = r.document',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['host']),
      partition: partitionOfHost(hostOf(raw.host)),
      document: importedId(numberOf(raw.document), hostOf(raw.host)),
      known: raw.known === 0 ? 0 : importedId(numberOf(raw.known), hostOf(raw.host)),
    }),
    portionRows: 2_000,
  },
  {
    kind: 'prices',
    table: 'prices',
    keys: [
      ['p.document', 'plain'],
      ['p.part', 'plain'],
      ['p.version', 'plain'],
    ],
    columns: 'p.document, p.part, p.version, p.at, p.amount, p.currency, p.availability, d.host',
    from: 'FROM prices p LEFT JOIN documents d ON d.id = p.document',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['host']),
      partition: partitionOfHost(hostOf(raw.host)),
      document: importedId(numberOf(raw.document), hostOf(raw.host)),
      version: importedId(numberOf(raw.version), hostOf(raw.host)),
    }),
    portionRows: 2_000,
  },
  {
    kind: 'noise',
    table: 'noise',
    keys: [['o.document', 'plain']],
    columns: 'o.document, o.n, o.state, d.host',
    from: 'FROM noise o LEFT JOIN documents d ON d.id = o.document',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['host']),
      partition: partitionOfHost(hostOf(raw.host)),
      document: importedId(numberOf(raw.document), hostOf(raw.host)),
    }),
    portionRows: 500,
  },
  {
    kind: 'unmuted',
    table: 'unmuted',
    keys: [
      ['u.document', 'plain'],
      ['u.block', 'plain'],
      ['u.owner', 'plain'],
    ],
    columns: 'u.document, u.block, u.owner, u.at, d.host',
    from: 'FROM unmuted u LEFT JOIN documents d ON d.id = u.document',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['host']),
      partition: partitionOfHost(hostOf(raw.host)),
      document: importedId(numberOf(raw.document), hostOf(raw.host)),
    }),
    portionRows: 2_000,
  },
  {
    kind: 'holds',
    table: 'holds',
    keys: [
      ['h.version', 'plain'],
      ['h.owner', 'plain'],
    ],
    columns: `h.version, h.owner, h.since, ${hostOfVersion('h.version')} AS host`,
    from: 'FROM holds h',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['host']),
      partition: partitionOfHost(hostOf(raw.host)),
      version: importedId(numberOf(raw.version), hostOf(raw.host)),
    }),
    portionRows: 2_000,
  },
  {
    kind: 'annotations',
    table: 'annotations',
    keys: [['a.id', 'plain']],
    columns: `a.id, ${columnNames.map((name) => `a.${name}`).join(', ')}, a.read, a.starred, a.archived,
      coalesce(d.url, '') AS url, d.host, ${hostOfVersion('a.story')} AS story_host`,
    from: 'FROM annotations a LEFT JOIN documents d ON d.id = a.document',
    toRow(raw) {
      const host = hostOf(raw.host)
      const flags = [...flagColumns, 'read', 'starred', 'archived']
      return {
        ...plainRow(raw, flags, ['host', 'story_host']),
        document: importedId(numberOf(raw.document), host),
        version: importedId(numberOf(raw.version), host),
        story: importedId(numberOf(raw.story), hostOf(raw.story_host)),
      }
    },
    portionRows: 500,
  },
  {
    kind: 'also_at',
    table: 'also_at',
    keys: [
      ['a.annotation', 'plain'],
      ['a.version', 'plain'],
    ],
    columns: `a.annotation, a.version, a.document, a.url, a.draft, coalesce(d.host, ${hostOfVersion('a.version')}) AS host`,
    from: 'FROM also_at a LEFT JOIN documents d ON d.id = a.document',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['host']),
      version: importedId(numberOf(raw.version), hostOf(raw.host)),
      document: importedId(numberOf(raw.document), hostOf(raw.host)),
    }),
    portionRows: 1_000,
  },
  {
    kind: 'channels',
    table: 'channels',
    keys: [['id', 'plain']],
    columns: 'id, owner, kind, name, settings, created_at, state, reason, failures, retry_at, sent_at, next_at',
    from: 'FROM channels',
    toRow: (raw) => plainRow(raw),
    portionRows: 1_000,
  },
  {
    kind: 'outbox',
    table: 'outbox',
    keys: [
      ['annotation', 'plain'],
      ['channel', 'plain'],
    ],
    columns: 'annotation, channel, created_at, due_at, message',
    from: 'FROM outbox',
    toRow: (raw) => plainRow(raw),
    portionRows: 1_000,
  },
  {
    kind: 'messages',
    table: 'messages',
    keys: [['id', 'plain']],
    columns: `id, channel, owner, kind, state, subject, annotations, profiles, left_out, created_at, attempts, at, answer`,
    from: 'FROM messages',
    toRow: (raw) => plainRow(raw),
    portionRows: 1_000,
  },
  {
    kind: 'stories',
    table: 'stories',
    keys: [['s.n', 'plain']],
    columns: `s.n, s.version, s.document, s.host, s.at, s.story, s.bands, s.sketch,
      coalesce(d.host, ${hostOfVersion('s.version')}) AS document_host, ${hostOfVersion('s.story')} AS story_host`,
    from: 'FROM stories s LEFT JOIN documents d ON d.id = s.document',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['n', 'document_host', 'story_host']),
      version: importedId(numberOf(raw.version), hostOf(raw.document_host)),
      document: importedId(numberOf(raw.document), hostOf(raw.document_host)),
      story: importedId(numberOf(raw.story), hostOf(raw.story_host)),
    }),
    portionRows: 1_000,
  },
  {
    kind: 'story_bands',
    table: 'story_bands',
    keys: [
      ['b.band', 'plain'],
      ['b.version', 'plain'],
    ],
    columns: `b.band, b.version, coalesce(d.host, ${hostOfVersion('b.version')}) AS host`,
    from: 'FROM story_bands b LEFT JOIN stories s ON s.version = b.version LEFT JOIN documents d ON d.id = s.document',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['host']),
      version: importedId(numberOf(raw.version), hostOf(raw.host)),
    }),
    portionRows: 5_000,
  },
  {
    kind: 'story_splits',
    table: 'story_splits',
    keys: [
      ['s.owner', 'plain'],
      ['s.document', 'plain'],
      ['s.other', 'plain'],
    ],
    columns: 's.owner, s.document, s.other, s.at, d.host, o.host AS other_host',
    from: 'FROM story_splits s LEFT JOIN documents d ON d.id = s.document LEFT JOIN documents o ON o.id = s.other',
    toRow: (raw) => ({
      ...plainRow(raw, [], ['host', 'other_host']),
      document: importedId(numberOf(raw.document), hostOf(raw.host)),
      other: importedId(numberOf(raw.other), hostOf(raw.other_host)),
    }),
    portionRows: 2_000,
  },
]
