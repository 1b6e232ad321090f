import { watchedUri } from '../../../core/profile.ts'
import type { KeyedProfile, ProfileStore, UrdRow } from '../../contracts/profiles.ts'
import { storedProfile } from '../../rules/stored-profile.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { lockBase, revise, revisionOf } from './revisions.ts'

type Row = { body: string }
type PlacedUrd = { id: number; profile: string; watch: number }

const urdColumns = `id, profile, place, watch, visited_at AS "visitedAt", paused, muted, aside, aside_url AS "asideUrl", selected,
  selected_since AS "selectedSince", selected_version AS "selectedVersion" FROM urds`

export function createPostgresProfiles(pool: PostgresPool): ProfileStore {
  return {
    revision: () => revisionOf(pool, 'profiles'),
    async list({ after, limit, owner }) {
      const rows =
        owner === undefined
          ? await pool.query<Row>('SELECT body FROM profiles WHERE id > $1 ORDER BY id LIMIT $2', [
              storable(after),
              limit,
            ])
          : await pool.query<Row>('SELECT body FROM profiles WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3', [
              storable(owner),
              storable(after),
              limit,
            ])
      return rows.map(({ body }) => storedProfile(body))
    },
    async find(id) {
      const [row] = await pool.query<Row>('SELECT body FROM profiles WHERE id = $1', [storable(id)])
      return row === undefined ? null : storedProfile(row.body)
    },
    stamps: () => pool.query('SELECT id, revision FROM profiles'),
    async put(profiles, basis) {
      // If a profile is given twice, the later one counts.
      const last = [...new Map(profiles.map((keyed) => [storable(keyed.profile.id), keyed])).entries()]
      return pool.transaction(async (tx) => {
        await lockBase(tx, 'profiles')
        if (basis !== undefined && (await revisionOf(tx, 'profiles')) !== basis) return false
        const revision = await revise(tx, 'profiles')
        await putBodies(tx, last, revision)
        await placeUrds(tx, last)
        return true
      })
    },
    remove: (ids) => pool.transaction((tx) => remove(tx, ids.map(storable))),
    urdsOf: (profileId) =>
      pool.query<UrdRow>(`SELECT ${urdColumns} WHERE profile = $1 ORDER BY place`, [storable(profileId)]),
    async findUrd(id) {
      const [row] = await pool.query<UrdRow>(`SELECT ${urdColumns} WHERE id = $1`, [id])
      return row ?? null
    },
    async setUrds(ids, { paused = null, muted = null, aside = null, asideUrl = null, ...marks }) {
      const { selected = null, selectedSince = null, selectedVersion = null } = marks
      await pool.transaction(async (tx) => {
        await lockBase(tx, 'profiles')
        const changed = await tx.query<{ profile: string }>(
          `UPDATE urds SET paused = coalesce($2::boolean, paused), muted = coalesce($3::boolean, muted),
             aside = coalesce($4::text, aside), aside_url = coalesce($5::text, aside_url),
             selected = coalesce($6::text, selected), selected_since = coalesce($7::bigint, selected_since),
             selected_version = coalesce($8::bigint, selected_version)
           WHERE id = ANY($1::bigint[]) RETURNING profile`,
          [
            ids,
            paused,
            muted,
            aside,
            asideUrl === null ? null : storable(asideUrl),
            selected,
            selectedSince,
            selectedVersion,
          ],
        )
        if (changed.length === 0) return
        const revision = await revise(tx, 'profiles')
        const concerned = [...new Set(changed.map(({ profile }) => profile))]
        await tx.query('UPDATE profiles SET revision = $1 WHERE id = ANY($2::text[])', [revision, concerned])
      })
    },
  }
}

type KeyedEntry = readonly [id: string, keyed: KeyedProfile]

async function putBodies(tx: Tx, entries: readonly KeyedEntry[], revision: number): Promise<void> {
  await tx.query(
    `INSERT INTO profiles (id, owner, revision, body)
     SELECT id, owner, $4, body FROM unnest($1::text[], $2::text[], $3::text[]) AS given (id, owner, body)
     ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, revision = excluded.revision, body = excluded.body`,
    [
      entries.map(([id]) => id),
      entries.map(([, { profile }]) => storable(profile.owner)),
      entries.map(([, { profile }]) => JSON.stringify(profile)),
      revision,
    ],
  )
}

/** Returns the watch id of each key; adds missing watches. */
async function watchesOf(tx: Tx, uris: ReadonlyMap<string, string>): Promise<Map<string, number>> {
  const keys = [...uris.keys()]
  // Look up by hash: a key can be too long for an index. The lock on the base keeps keys unique.
  const select = `SELECT w.id, w.key FROM unnest($1::text[]) AS k (key)
    JOIN watches w ON hashtextextended(w.key, 0) = hashtextextended(k.key COLLATE "C", 0) AND w.key = k.key`
  const known = await tx.query<{ id: number; key: string }>(select, [keys])
  const ids = new Map(known.map(({ id, key }) => [key, id]))
  const missing = keys.filter((key) => !ids.has(key))
  if (missing.length === 0) return ids
  const made = await tx.query<{ id: number; key: string }>(
    `INSERT INTO watches (key, uri) SELECT key, uri FROM unnest($1::text[], $2::text[]) AS given (key, uri)
     RETURNING id, key`,
    [missing, missing.map((key) => uris.get(key)!)],
  )
  for (const { id, key } of made) ids.set(key, id)
  return ids
}

/** A URD stays with its watch, even if the source has moved within the profile. */
async function placeUrds(tx: Tx, entries: readonly KeyedEntry[]): Promise<void> {
  const uris = new Map<string, string>()
  for (const [, { profile, keys }] of entries)
    for (const [place, source] of profile.sources.entries()) {
      const key = storable(keys[place]!)
      if (!uris.has(key)) uris.set(key, storable(watchedUri(profile.owner, source)))
    }
  const watches = await watchesOf(tx, uris)
  const before = await tx.query<PlacedUrd>(
    'SELECT id, profile, watch FROM urds WHERE profile = ANY($1::text[]) ORDER BY profile, place',
    [entries.map(([id]) => id)],
  )
  const free = Map.groupBy(before, ({ profile, watch }) => `${watch} ${profile}`)
  const kept: { id: number; place: number }[] = []
  const added: { profile: string; place: number; watch: number }[] = []
  for (const [
    profile,
    {
      profile: { sources },
      keys,
    },
  ] of entries)
    for (const place of sources.keys()) {
      const watch = watches.get(storable(keys[place]!))!
      const urd = free.get(`${watch} ${profile}`)?.shift()
      if (urd === undefined) added.push({ profile, place, watch })
      else kept.push({ id: urd.id, place })
    }
  await writeUrds(tx, { kept, added, left: [...free.values()].flat().map(({ id }) => id) })
}

type Placing = {
  kept: readonly { id: number; place: number }[]
  added: readonly { profile: string; place: number; watch: number }[]
  left: readonly number[]
}

/** Two URDs may share a position until the end of the transaction (the constraint is deferred). */
async function writeUrds(tx: Tx, { kept, added, left }: Placing): Promise<void> {
  if (kept.length > 0)
    await tx.query(
      `UPDATE urds u SET place = k.place, aside = '', aside_url = '', selected = '', selected_since = 0, selected_version = 0
       FROM unnest($1::bigint[], $2::int[]) AS k (id, place)
       WHERE u.id = k.id AND (u.place <> k.place OR u.aside <> '' OR u.selected <> '')`,
      [kept.map(({ id }) => id), kept.map(({ place }) => place)],
    )
  if (added.length > 0)
    await tx.query(
      `INSERT INTO urds (profile, place, watch)
       SELECT profile, place, watch FROM unnest($1::text[], $2::int[], $3::bigint[]) AS a (profile, place, watch)`,
      [added.map(({ profile }) => profile), added.map(({ place }) => place), added.map(({ watch }) => watch)],
    )
  if (left.length > 0) await tx.query('DELETE FROM urds WHERE id = ANY($1::bigint[])', [left])
}

async function remove(tx: Tx, ids: readonly string[]): Promise<number> {
  await revise(tx, 'profiles')
  const removed = await tx.query('DELETE FROM profiles WHERE id = ANY($1::text[]) RETURNING 1', [ids])
  await tx.query('DELETE FROM urds WHERE profile = ANY($1::text[])', [ids])
  return removed.length
}
