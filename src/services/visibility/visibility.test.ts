import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import { createManualClock } from '../../core/clock.ts'
import type { Profile } from '../../core/profile.ts'
import { createSqliteProfiles } from '../../store/sqlite/accounts/profiles.ts'
import { createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { createSqliteWatches } from '../../store/sqlite/frontier/watches.ts'
import { createSqliteInbox } from '../../store/sqlite/inbox/inbox.ts'
import { createProfileKeys } from '../profiles/keyed-profile.ts'
import { createVisibility } from './visibility.ts'

describe('visibility', () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-visibility-'))
  let db: Database
  before(() => {
    db = openDatabase(join(folder, 'catalog.db'), { migrations: catalogMigrations })
  })
  after(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const page = { id: 1, url: 'http://a.example/x' }

  function system() {
    const clock = createManualClock()
    const profiles = createSqliteProfiles(db)
    const watches = createSqliteWatches(db)
    let reads = 0
    const counted: typeof profiles = {
      ...profiles,
      list(asked) {
        reads++
        return profiles.list(asked)
      },
    }
    const visibility = createVisibility({
      profiles: counted,
      watches,
      inbox: createSqliteInbox(db),
      versions: createSqliteVersions(db),
      clock,
    })
    return {
      clock,
      profiles,
      visibility,
      reads: () => reads,
      put: (...given: Profile[]) => profiles.put(given.map(createProfileKeys({}))),
      /** Records a reached document, as a check does. */
      async reach(profile: string, document: number, hops: number) {
        const insert = db.prepare('INSERT OR REPLACE INTO reached (document, watch, hops) VALUES (?, ?, ?)')
        for (const { watch } of await profiles.urdsOf(profile)) db.write(() => insert.run(document, watch, hops))
      },
      async visit(profile: string, landed: string | null = null) {
        const rest = { checkedAt: 9, outcome: 'stored', status: 200, changes: 0, landed }
        const urds = await profiles.urdsOf(profile)
        await watches.finish(urds.map(({ id, watch }) => ({ watch, visited: [id], ...rest })))
      },
    }
  }

  test('a finished first visit makes pages visible without a profile change', async () => {
    const { visibility, put, visit, reach, clock } = system()
    await put(profileOf('one', 'ada', [sourceOf('http://a.example/', { depth: 1 })], {}))
    await reach('one', page.id, 1)
    assert.equal(await visibility.of({ owner: 'ada' }).sees(page), false)
    await visit('one')
    clock.advance(1_000)
    assert.equal(await visibility.of({ owner: 'ada' }).sees(page), true)
    assert.equal(await visibility.of({ owner: 'eve' }).sees(page), false)
  })

  test('the coverage of an owner is read once, until the profiles change', async () => {
    const { visibility, put, profiles, reads } = system()
    await visibility.of({ owner: 'ada' }).sees(page)
    await visibility.of({ owner: 'ada' }).filter([page, page])
    assert.equal(reads(), 1)
    await put(profileOf('two', 'eve', [sourceOf('http://b.example/')], {}))
    await visibility.of({ owner: 'ada' }).sees(page)
    assert.equal(reads(), 2)
    await profiles.remove(['one'])
    assert.equal(await visibility.of({ owner: 'ada' }).sees(page), false)
  })

  test('a source shows the pages at its redirect target', async () => {
    const { visibility, put, visit, reach } = system()
    await put(profileOf('three', 'ada', [sourceOf('http://old.example/', { depth: 1 })], {}))
    await visit('three', 'http://new.example/')
    await reach('three', 2, 1)
    await reach('three', 3, 1)
    assert.equal(await visibility.of({ owner: 'ada' }).sees({ id: 2, url: 'http://new.example/page' }), true)
    assert.equal(await visibility.of({ owner: 'ada' }).sees({ id: 3, url: 'http://newer.example/page' }), false)
  })

  test('sources that were never checked are listed but show nothing', async () => {
    const { visibility } = system()
    const sources = await visibility.of({ owner: 'eve' }).sources()
    assert.deepEqual(
      sources.map(({ profile, visited, source }) => [profile, visited, source.uri]),
      [['two', false, 'http://b.example/']],
    )
    assert.deepEqual(await visibility.of({ owner: 'eve' }).filter([{ id: 4, url: 'http://b.example/' }]), [])
  })

  test("no scope shows a page that no check of the owner's sources reached", async () => {
    const { visibility, put, visit, reach } = system()
    const everything = { kind: 'pattern', source: '.*' } as const
    await put(
      profileOf('secret', 'ada', [sourceOf('http://site.example/drafts?token=s3cret', { depth: 1 })], {}),
      profileOf('host', 'bob', [sourceOf('http://site.example/', { depth: 9, scope: { kind: 'host' } })], {}),
      profileOf('domain', 'bob', [sourceOf('http://www.site.example/', { depth: 9, scope: { kind: 'domain' } })], {}),
      profileOf('pattern', 'bob', [sourceOf('http://site.example/start', { depth: 9, scope: everything })], {}),
    )
    for (const profile of ['secret', 'host', 'domain', 'pattern']) await visit(profile)
    const draft = { id: 10, url: 'http://site.example/drafts?token=s3cret' }
    const linked = { id: 11, url: 'http://site.example/linked' }
    const elsewhere = { id: 12, url: 'http://other.example/' }
    await reach('secret', draft.id, 0)
    await reach('secret', linked.id, 1)
    await reach('pattern', elsewhere.id, 2)
    const seenBy = async (owner: string) =>
      (await visibility.of({ owner }).filter([draft, linked, elsewhere])).map(({ id }) => id)
    assert.deepEqual(await seenBy('ada'), [10, 11])
    assert.deepEqual(await seenBy('bob'), [12])
  })

  test('a source shows only pages within its own depth and scope, even if its shared watch goes further', async () => {
    const { visibility, put, visit, reach } = system()
    const uri = 'http://shared.example/a/'
    await put(
      profileOf('deep', 'ada', [sourceOf(uri, { depth: 3, scope: { kind: 'host' } })], {}),
      profileOf('near', 'bob', [sourceOf(uri, { depth: 1, scope: { kind: 'path' } })], {}),
    )
    for (const profile of ['deep', 'near']) await visit(profile)
    const pages = [
      { id: 20, url: uri, hops: 0 },
      { id: 21, url: `${uri}one`, hops: 1 },
      { id: 22, url: `${uri}two`, hops: 2 },
      { id: 23, url: 'http://shared.example/b', hops: 1 },
    ]
    for (const { id, hops } of pages) await reach('deep', id, hops)
    const seenBy = async (owner: string) => (await visibility.of({ owner }).filter(pages)).map(({ id }) => id)
    assert.deepEqual(await seenBy('ada'), [20, 21, 22, 23])
    assert.deepEqual(await seenBy('bob'), [20, 21])
  })

  test('owners evicted from the full cache are read again', async () => {
    const { visibility, reads } = system()
    for (let n = 0; n < 250; n++) await visibility.of({ owner: `owner ${n}` }).sees(page)
    await visibility.of({ owner: 'owner 249' }).sees(page)
    assert.equal(reads(), 250)
    await visibility.of({ owner: 'owner 0' }).sees(page)
    assert.equal(reads(), 251)
  })
})
