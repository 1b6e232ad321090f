import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createManualClock, type ManualClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { Secrets } from '../../crawl/fetch/secrets.ts'
import type { CredentialStore } from '../../store/contracts/credentials.ts'
import { createSqliteProfiles } from '../../store/sqlite/accounts/profiles.ts'
import { createSqliteCredentials } from '../../store/sqlite/accounts/source-credentials.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { type CredentialService, createCredentialService } from './credential-service.ts'
import { createCredentialsKey } from './credentials-key.ts'
import { createSecretOpener } from './secret-opener.ts'

const owner = 'ann@example.org'
const HOUR = 3_600_000

type Place = {
  service: CredentialService
  store: CredentialStore
  clock: ManualClock
  /** Opens secrets as a thread of its own. */
  opener(key?: string): Secrets
  id: string
}

const withCredentials = (work: (place: Place) => Promise<void>) => async () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-secrets-'))
  const db = openDatabase(join(folder, 'catalog.db'), { migrations: catalogMigrations })
  try {
    const clock = createManualClock()
    const store = createSqliteCredentials(db)
    const keyOf = (given: string) => createCredentialsKey({ given, file: join(folder, 'secret.key') })
    const deps = { credentials: store, profiles: createSqliteProfiles(db), clock }
    const service = createCredentialService({ ...deps, key: keyOf('') })
    const values = { user: 'ann', password: 'hunter2' }
    const { id } = await service.add(owner, { name: 'bank', kind: 'password', values })
    await work({
      service,
      store,
      clock,
      id,
      opener: (key = '') => createSecretOpener({ store, key: keyOf(key), clock }),
    })
  } finally {
    db.close()
    rmSync(folder, { recursive: true })
  }
}

const refusal = (opener: Secrets, id: string): Promise<string> =>
  opener.open(id).then(
    () => '',
    (error) => `${error.code}: ${error.message}`,
  )

test(
  'opens credentials with their kind, and uses new values soon',
  withCredentials(async ({ service, clock, opener, id }) => {
    const secrets = opener()
    assert.deepEqual(await secrets.open(id), { kind: 'password', user: 'ann', password: 'hunter2' })
    assert.equal(await secrets.open('0'.repeat(24)), null)
    await service.replace(owner, id, { kind: 'password', values: { password: 'hunter3' } })
    clock.advance(10_000)
    assert.deepEqual(await secrets.open(id), { kind: 'password', user: 'ann', password: 'hunter3' })
  }),
)

test(
  'a failed sign-in is not retried for an hour, then for two, and its message shows no secret',
  withCredentials(async ({ store, clock, opener, id }) => {
    const [one, other] = [opener(), opener()]
    await other.open(id)
    await one.noteFailed(id, 'LOGIN ann hunter2\r\nfailed')
    const told = /^sign-in-failed: sign-in failed since 2026-01-01 00:00 UTC; the next try is at 2026-01-01 01:00 UTC/
    assert.match(await refusal(one, id), told)
    // A thread that has them cached notices a moment later.
    clock.advance(10_000)
    assert.match(await refusal(other, id), told)
    assert.equal((await store.find(id))!.failure, 'LOGIN … … failed')
    clock.advance(HOUR - 10_000)
    assert.equal(await refusal(other, id), '')
    await other.noteFailed(id, 'wrong again')
    clock.advance(HOUR)
    assert.match(await refusal(one, id), /failed since 2026-01-01 00:00 UTC; the next try is at 2026-01-01 03:00 UTC/)
    clock.advance(HOUR)
    assert.equal(await refusal(one, id), '')
    await one.noteUsed(id)
    const { failedSince, failures, usedAt } = (await store.find(id))!
    assert.deepEqual({ failedSince, failures, usedAt }, { failedSince: 0, failures: 0, usedAt: clock.now() })
  }),
)

test(
  'changed credentials are tried at once, and failures of the earlier ones do not count',
  withCredentials(async ({ service, clock, opener, id }) => {
    const [one, other] = [opener(), opener()]
    await other.open(id)
    await one.open(id)
    await one.noteFailed(id, 'wrong')
    await service.replace(owner, id, { kind: 'password', values: { password: 'right' } })
    await other.noteFailed(id, 'wrong')
    clock.advance(10_000)
    assert.deepEqual(await one.open(id), { kind: 'password', user: 'ann', password: 'right' })
    assert.equal((await service.find(owner, id))!.failedSince, 0)
  }),
)

test(
  'use is recorded at most once a minute',
  withCredentials(async ({ store, clock, opener, id }) => {
    const secrets = opener()
    await secrets.open(id)
    await secrets.noteUsed(id)
    const first = clock.now()
    clock.advance(1000)
    await secrets.noteUsed(id)
    assert.equal((await store.find(id))!.usedAt, first)
    clock.advance(60_000)
    await secrets.noteUsed(id)
    assert.equal((await store.find(id))!.usedAt, first + 61_000)
  }),
)

test(
  'with another key, each of the credentials is reported as unreadable and can be entered again by itself',
  withCredentials(async ({ service: earlier, store, clock, opener, id }) => {
    const wrong = 'ab'.repeat(32)
    const other = await earlier.add(owner, { name: 'mail', kind: 'password', values: { user: 'ann', password: 'm' } })
    assert.match(await refusal(opener(wrong), id), /^credentials-locked: the credentials "bank" can't be read/)
    assert.match(await refusal(opener(wrong), other.id), /^credentials-locked: the credentials "mail" can't be read/)
    const key = createCredentialsKey({ given: wrong, file: null })
    const service = createCredentialService({ credentials: store, profiles: { list: async () => [] }, key, clock })
    const problems = async () => new Map((await service.list(owner)).map(({ name, problem }) => [name, problem]))
    for (const problem of (await problems()).values()) assert.match(problem, /enter them again/)
    await assert.rejects(service.replace(owner, id, { kind: 'password', values: { user: 'ann' } }), (error) =>
      isAppError(error, 'request-invalid'),
    )
    await service.replace(owner, id, { kind: 'password', values: { user: 'ann', password: 'again' } })
    const left = await problems()
    assert.equal(left.get('bank'), '')
    assert.match(left.get('mail')!, /enter them again/)
    assert.deepEqual(await opener(wrong).open(id), { kind: 'password', user: 'ann', password: 'again' })
    assert.match(await refusal(opener(wrong), other.id), /^credentials-locked: /)
  }),
)
