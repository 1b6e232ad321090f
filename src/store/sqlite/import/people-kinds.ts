import { hostOfVersion, importedId, importedMark, plainRow, type SourceKind } from './source-kind.ts'

const SMALL = 1_000

type PeopleKind = SourceKind<unknown>

/** Users' data, whose ids are the same in both engines. */
export const accountKinds: readonly PeopleKind[] = [
  {
    kind: 'runs',
    table: 'runs',
    keys: [['id', 'plain']],
    // A shared store allows at most one unfinished run.
    columns: `id, started_at,
      iif(id < (SELECT max(id) FROM runs), coalesce(finished_at, started_at), finished_at) AS finished_at`,
    from: 'FROM runs',
    toRow: (raw) => plainRow(raw),
    portionRows: SMALL,
  },
  {
    kind: 'accounts',
    table: 'accounts',
    keys: [['id', 'plain']],
    columns: 'id, email, name, role, level, password, disabled, created_at, settings',
    from: 'FROM accounts',
    toRow: (raw) => plainRow(raw, ['disabled']),
    portionRows: SMALL,
  },
  {
    kind: 'sessions',
    table: 'sessions',
    keys: [['id', 'plain']],
    columns: 'id, hash, account, created_at, seen_at, expires_at, agent, address',
    from: 'FROM sessions',
    toRow: (raw) => plainRow(raw),
    portionRows: SMALL,
  },
  {
    kind: 'tokens',
    table: 'tokens',
    keys: [['id', 'plain']],
    columns: 'id, hash, account, name, scopes, created_at, used_at, expires_at',
    from: 'FROM tokens',
    toRow: (raw) => plainRow(raw),
    portionRows: SMALL,
  },
  {
    kind: 'failures',
    table: 'failures',
    keys: [['key', 'plain']],
    columns: 'key, count, last_at',
    from: 'FROM failures',
    toRow: (raw) => plainRow(raw),
    portionRows: SMALL,
  },
  {
    kind: 'credentials',
    table: 'credentials',
    keys: [['id', 'plain']],
    columns: `id, owner, name, kind, hint, sealed, created_at, changed_at, used_at, failed_since, failure, failures, retry_at`,
    from: 'FROM credentials',
    toRow: (raw) => plainRow(raw),
    portionRows: SMALL,
  },
  {
    kind: 'watches',
    table: 'watches',
    keys: [['id', 'plain']],
    columns: `id, key, uri, landed, round, mark, finished_mark, checked_at, outcome, status, since, changed_at, state, visits`,
    from: 'FROM watches',
    toRow: (raw) => ({
      ...plainRow(raw),
      mark: importedMark(raw.mark as number),
      finished_mark: importedMark(raw.finished_mark as number),
    }),
    portionRows: SMALL,
  },
  {
    kind: 'crawls',
    table: 'crawls',
    keys: [['id', 'plain']],
    columns: 'id, asked_by, asked_at, request, state, stop_asked, started_at, ended_at, queued, counts, reason',
    from: 'FROM crawls',
    toRow: (raw) => plainRow(raw, ['stop_asked']),
    portionRows: SMALL,
  },
  {
    kind: 'profiles',
    table: 'profiles',
    keys: [['id', 'plain']],
    columns: 'id, owner, revision, body',
    from: 'FROM profiles',
    toRow: (raw) => plainRow(raw),
    portionRows: 200,
  },
  {
    kind: 'urds',
    table: 'urds',
    keys: [['id', 'plain']],
    columns: `id, profile, place, watch, visited_at, paused, muted, aside, aside_url, selected, selected_since, selected_version,
      ${hostOfVersion('selected_version')} AS host`,
    from: 'FROM urds',
    toRow: (raw) => ({
      ...plainRow(raw, ['paused', 'muted'], ['host']),
      selected_version: importedId(raw.selected_version as number, raw.host as string | null),
    }),
    portionRows: SMALL,
  },
  {
    kind: 'checks',
    table: 'checks',
    keys: [
      ['watch', 'plain'],
      ['at', 'plain'],
    ],
    columns: 'watch, at, outcome, status, changed, took_ms',
    from: 'FROM checks',
    toRow: (raw) => plainRow(raw),
    portionRows: 2_000,
  },
]
