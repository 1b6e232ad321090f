import { watchedUri } from '../../../core/profile.ts'
import type { KeyedProfile, ProfileStore, UrdRow } from '../../contracts/profiles.ts'
import { storedProfile } from '../../rules/stored-profile.ts'
import type { Database } from '../folder/database.ts'
import { flagOf } from '../folder/database.ts'

type Row = { body: string }
type StoredUrd = Omit<UrdRow, 'paused' | 'muted'> & { paused: 0 | 1; muted: 0 | 1 }

const urdColumns = `id, profile, place, watch, visited_at AS visitedAt, paused, muted, aside, aside_url AS asideUrl, selected,
  selected_since AS selectedSince, selected_version AS selectedVersion FROM urds`

export function createSqliteProfiles(db: Database): ProfileStore {
  const sql = {
    revision: db.prepare(`SELECT value FROM facts WHERE name = 'profiles'`),
    revise: db.prepare(
      `INSERT INTO facts (name, value) VALUES ('profiles', 1) ON CONFLICT DO UPDATE SET value = value + 1`,
    ),
    list: db.prepare('SELECT body FROM profiles WHERE id > ? ORDER BY id LIMIT ?'),
    listOfOwner: db.prepare('SELECT body FROM profiles WHERE owner = ? AND id > ? ORDER BY id LIMIT ?'),
    find: db.prepare('SELECT body FROM profiles WHERE id = ?'),
    put: db.prepare(
      `INSERT INTO profiles (id, owner, revision, body) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET owner = excluded.owner, revision = excluded.revision, body = excluded.body`,
    ),
    remove: db.prepare('DELETE FROM profiles WHERE id = ?'),
    stamps: db.prepare('SELECT id, revision FROM profiles'),
    urdsOf: db.prepare(`SELECT ${urdColumns} WHERE profile = ? ORDER BY place`),
    findUrd: db.prepare(`SELECT ${urdColumns} WHERE id = ?`),
    markUrd: db.prepare(
      `UPDATE urds SET paused = coalesce(?, paused), muted = coalesce(?, muted), aside = coalesce(?, aside),
       aside_url = coalesce(?, aside_url), selected = coalesce(?, selected),
       selected_since = coalesce(?, selected_since), selected_version = coalesce(?, selected_version) WHERE id = ? RETURNING profile`,
    ),
    stamp: db.prepare('UPDATE profiles SET revision = ? WHERE id = ?'),
    addUrd: db.prepare('INSERT INTO urds (profile, place, watch, visited_at) VALUES (?, ?, ?, ?)'),
    removeUrds: db.prepare('DELETE FROM urds WHERE profile = ?'),
    clearPlaces: db.prepare('UPDATE urds SET place = -1 - place WHERE profile = ?'),
    keepUrd: db.prepare(
      `UPDATE urds SET place = ?, aside = '', aside_url = '', selected = '', selected_since = 0, selected_version = 0
       WHERE id = ?`,
    ),
    removeUnplaced: db.prepare('DELETE FROM urds WHERE profile = ? AND place < 0'),
    watch: db.prepare('SELECT id FROM watches WHERE key = ?'),
    addWatch: db.prepare('INSERT INTO watches (key, uri) VALUES (?, ?)'),
  }

  function watchOf(key: string, uri: string): number {
    const known = sql.watch.get(key) as { id: number } | undefined
    return known?.id ?? Number(sql.addWatch.run(key, uri).lastInsertRowid)
  }

  const urdsOf = (profile: string): UrdRow[] => (sql.urdsOf.all(profile) as StoredUrd[]).map(urdOf)

  /** Runs in a transaction. */
  function nextRevision(): number {
    sql.revise.run()
    return (sql.revision.get() as { value: number }).value
  }

  /** Runs in a transaction. A URD keeps its watch even if the source moves within the profile. */
  function putOne({ profile, keys }: KeyedProfile, revision: number): void {
    sql.put.run(profile.id, profile.owner, revision, JSON.stringify(profile))
    const before = Map.groupBy(urdsOf(profile.id), ({ watch }) => watch)
    // Old URDs are removed after the new ones have their ids, so that no id is reused.
    sql.clearPlaces.run(profile.id)
    for (const [place, source] of profile.sources.entries()) {
      const watch = watchOf(keys[place]!, watchedUri(profile.owner, source))
      const kept = before.get(watch)?.shift()
      if (kept === undefined) sql.addUrd.run(profile.id, place, watch, 0)
      else sql.keepUrd.run(place, kept.id)
    }
    sql.removeUnplaced.run(profile.id)
  }

  /** 0 before the first profile. */
  const revisionNow = (): number => (sql.revision.get() as { value: number } | undefined)?.value ?? 0

  return {
    async revision() {
      return db.read(revisionNow)
    },
    async list({ after, limit, owner }) {
      const rows = db.read(() =>
        owner === undefined ? sql.list.all(after, limit) : sql.listOfOwner.all(owner, after, limit),
      )
      return (rows as Row[]).map(({ body }) => storedProfile(body))
    },
    async find(id) {
      const row = db.read(() => sql.find.get(id)) as Row | undefined
      return row === undefined ? null : storedProfile(row.body)
    },
    async put(profiles, basis) {
      return db.write(() => {
        if (basis !== undefined && revisionNow() !== basis) return false
        const revision = nextRevision()
        for (const each of profiles) putOne(each, revision)
        return true
      })
    },
    async remove(ids) {
      return db.write(() => {
        let removed = 0
        for (const id of ids) {
          removed += Number(sql.remove.run(id).changes)
          sql.removeUrds.run(id)
        }
        sql.revise.run()
        return removed
      })
    },
    stamps: async () => db.read(() => sql.stamps.all()) as { id: string; revision: number }[],
    urdsOf: async (profileId) => db.read(() => urdsOf(profileId)),
    async findUrd(id) {
      const row = db.read(() => sql.findUrd.get(id)) as StoredUrd | undefined
      return row === undefined ? null : urdOf(row)
    },
    async setUrds(ids, { paused, muted, aside = null, asideUrl = null, ...marks }) {
      const { selected = null, selectedSince = null, selectedVersion = null } = marks
      const selection = [selected, selectedSince, selectedVersion]
      db.write(() => {
        const changed = new Set<string>()
        for (const id of ids) {
          const row = sql.markUrd.get(flagOf(paused), flagOf(muted), aside, asideUrl, ...selection, id) as
            | { profile: string }
            | undefined
          if (row !== undefined) changed.add(row.profile)
        }
        if (changed.size === 0) return
        const revision = nextRevision()
        for (const profile of changed) sql.stamp.run(revision, profile)
      })
    },
  }
}

function urdOf(row: StoredUrd): UrdRow {
  return { ...row, paused: row.paused === 1, muted: row.muted === 1 }
}
