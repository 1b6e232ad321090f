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

describe('who sees what', () => {
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
      async visit(profile: string, landed: string | null = null) {
        const rest = { checkedAt: 9, outcome: 'stored', status: 200, changes: 0, landed }
        const urds = await profiles.urdsOf(profile)
        await watches.finish(urds.map(({ id, watch }) => ({ watch, visited: [id], ...rest })))
      },
    }
  }

  test('a first visit that is done is noticed without a change of the base', async () => {
    const { visibility, put, visit, clock } = system()
    await put(profileOf('one', 'ada', [sourceOf('http://a.example/', { depth: 1 })], {}))
    assert.equal(await visibility.of({ owner: 'ada' }).sees(page), false)
    await visit('one')
    clock.advance(1_000)
    assert.equal(await visibility.of({ owner: 'ada' }).sees(page), true)
    assert.equal(await visibility.of({ owner: 'eve' }).sees(page), false)
  })

  test('what sources reach is read once, until the base changes', async () => {
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

  test('a source shows what is where it redirects to', async () => {
    const { visibility, put, visit } = system()
    await put(profileOf('three', 'ada', [sourceOf('http://old.example/', { depth: 1 })], {}))
    await visit('three', 'http://new.example/')
    assert.equal(await visibility.of({ owner: 'ada' }).sees({ id: 2, url: 'http://new.example/page' }), true)
    assert.equal(await visibility.of({ owner: 'ada' }).sees({ id: 3, url: 'http://newer.example/page' }), false)
  })

  test('sources that were never checked are listed, but show nothing', async () => {
    const { visibility } = system()
    const sources = await visibility.of({ owner: 'eve' }).sources()
    assert.deepEqual(
      sources.map(({ profile, visited, source }) => [profile, visited, source.uri]),
      [['two', false, 'http://b.example/']],
    )
    assert.deepEqual(await visibility.of({ owner: 'eve' }).filter([{ id: 4, url: 'http://b.example/' }]), [])
  })

  test('owners beyond the limit are read anew', async () => {
    const { visibility, reads } = system()
    for (let n = 0; n < 250; n++) await visibility.of({ owner: `owner ${n}` }).sees(page)
    await visibility.of({ owner: 'owner 249' }).sees(page)
    assert.equal(reads(), 250)
    await visibility.of({ owner: 'owner 0' }).sees(page)
    assert.equal(reads(), 251)
  })
})
