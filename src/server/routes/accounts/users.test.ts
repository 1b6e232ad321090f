import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../../test/watch/up-run.ts'
import { createProfileKeys } from '../../../services/profiles/keyed-profile.ts'
import { draftOf } from '../../../store/conformance/annotations-suite.testkit.ts'
import type { AnnotationDraft } from '../../../store/contracts/annotations.ts'
import { createTestServer, type TestServer } from '../../server.testkit.ts'

const PASSWORD = 'correct horse'

type Answer = { statusCode: number; json(): { error: { code: string } } }

function refused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.statusCode, status)
  assert.equal(answer.json().error.code, code)
}

const annotationOf = (owner: string, versionId: number): AnnotationDraft => draftOf(1, versionId, { owner })

describe('accounts over HTTP', () => {
  let erace: TestServer
  before(async () => {
    erace = await createTestServer()
    await erace.addUser('root@example.org', { role: 'administrator' })
    await erace.addUser('ada@example.org', { password: PASSWORD })
  })
  after(() => erace.close())
  const root = () => erace.as('root@example.org')

  test('are accessible to administrators only', async () => {
    refused(await erace.nobody().get('/users'), 401, 'not-signed-in')
    refused(await erace.as('ada@example.org').get('/users'), 403, 'forbidden')
    refused(await erace.asToken('root@example.org', ['read', 'write']).get('/users'), 403, 'forbidden')
    assert.equal((await erace.asToken('root@example.org', ['admin']).get('/users')).statusCode, 200)
  })

  test('are created, listed page by page, read, changed and deleted', async () => {
    const draft = { email: 'Bob@Example.org', password: PASSWORD, name: 'Bob', level: 'gold' }
    const made = await root().post('/users', draft)
    assert.equal(made.statusCode, 201)
    const { id, ...rest } = made.json()
    assert.match(rest.createdAt, /^\d{4}-\d\d-\d\dT/)
    assert.deepEqual([rest.email, rest.role, rest.level, rest.disabled], ['bob@example.org', 'user', 'gold', false])
    refused(await root().post('/users', { ...draft, email: 'BOB@example.org' }), 409, 'address-taken')
    refused(await root().post('/users', { ...draft, email: 'nobody' }), 400, 'request-invalid')
    refused(
      await root().post('/users', { ...draft, email: 'x@example.org', password: 'short' }),
      400,
      'request-invalid',
    )
    const page = (await root().get('/users?limit=2')).json()
    assert.deepEqual(
      page.items.map(({ email }: { email: string }) => email),
      ['root@example.org', 'ada@example.org'],
    )
    const next = (await root().get(`/users?limit=2&cursor=${page.next}`)).json()
    assert.deepEqual([next.items.map(({ email }: { email: string }) => email), next.next], [['bob@example.org'], null])
    refused(await root().get('/users?cursor=nonsense'), 400, 'cursor-invalid')
    const changed = await root().patch(`/users/${id}`, { level: 'bronze', role: 'administrator', name: 'B' })
    assert.deepEqual([changed.json().level, changed.json().role, changed.json().name], ['bronze', 'administrator', 'B'])
    assert.deepEqual((await root().get(`/users/${id}`)).json(), changed.json())
    assert.equal((await root().delete(`/users/${id}`)).statusCode, 204)
    refused(await root().get(`/users/${id}`), 404, 'not-found')
    refused(await root().delete(`/users/${id}`), 404, 'not-found')
    refused(await root().get('/users/zero'), 400, 'request-invalid')
  })

  test('the last administrator cannot be demoted, disabled or deleted', async () => {
    const { id } = (await root().get('/me')).json()
    refused(await root().patch(`/users/${id}`, { role: 'user' }), 409, 'last-administrator')
    refused(await root().patch(`/users/${id}`, { disabled: true }), 409, 'last-administrator')
    refused(await root().delete(`/users/${id}`), 409, 'last-administrator')
    assert.equal((await root().get('/me')).json().role, 'administrator')
  })

  test('lose their sessions and tokens at once when disabled', async () => {
    const { id } = await erace.addUser('eve@example.org', { password: PASSWORD })
    const eve = erace.as('eve@example.org')
    const token = erace.asToken('eve@example.org')
    assert.deepEqual([(await eve.get('/me')).statusCode, (await token.get('/me')).statusCode], [200, 200])
    assert.equal((await root().patch(`/users/${id}`, { disabled: true })).json().disabled, true)
    refused(await eve.get('/me'), 401, 'not-signed-in')
    refused(await token.get('/me'), 401, 'not-signed-in')
    const signIn = { email: 'eve@example.org', password: PASSWORD }
    refused(await erace.nobody().post('/session', signIn), 401, 'sign-in-wrong')
    const byToken = erace.asToken('root@example.org', ['admin'])
    refused(await byToken.patch(`/users/${id}`, { password: 'guessed by a token' }), 403, 'forbidden')
    await root().patch(`/users/${id}`, { disabled: false, password: 'battery staple' })
    assert.equal((await erace.nobody().post('/session', { ...signIn, password: 'battery staple' })).statusCode, 200)
  })

  test('are deleted with their profiles and annotations, and those of others stay', async () => {
    const keyed = createProfileKeys({})
    const { id } = await erace.addUser('mia@example.org')
    const count = (table: string, owner: string): unknown =>
      erace.db.prepare(`SELECT count(*) AS n FROM ${table} WHERE owner = ?`).get(owner)?.n
    for (const owner of ['mia@example.org', 'ada@example.org']) {
      const source = [sourceOf('http://a.example/')]
      const own = Array.from({ length: 120 }, (_, n) => profileOf(`${owner}-${n}`, owner, source, { java: 1 }))
      await erace.stores.profiles.put(own.map(keyed))
      const annotations = Array.from({ length: 1200 }, (_, n) => annotationOf(owner, n + 1))
      await erace.stores.annotations.commit({
        done: [],
        annotations,
        alsoAt: [],
        nearDuplicates: [],
        unwanted: [],
        wanted: [],
      })
    }
    assert.deepEqual([count('profiles', 'mia@example.org'), count('annotations', 'mia@example.org')], [120, 1200])
    const mia = erace.as('mia@example.org')
    assert.equal((await mia.get('/me')).statusCode, 200)
    assert.equal((await root().delete(`/users/${id}`)).statusCode, 204)
    refused(await mia.get('/me'), 401, 'not-signed-in')
    assert.deepEqual([count('profiles', 'mia@example.org'), count('annotations', 'mia@example.org')], [0, 0])
    assert.deepEqual([count('profiles', 'ada@example.org'), count('annotations', 'ada@example.org')], [120, 1200])
  })
})

describe('tokens over HTTP', () => {
  let erace: TestServer
  before(async () => {
    erace = await createTestServer()
    await erace.addUser('root@example.org', { role: 'administrator' })
    await erace.addUser('ada@example.org')
  })
  after(() => erace.close())

  test('are shown once, and may read and write unless fewer scopes are requested', async () => {
    const ada = erace.as('ada@example.org')
    const made = await ada.post('/tokens', { name: 'script' })
    assert.equal(made.statusCode, 201)
    const { token, ...rest } = made.json()
    assert.match(token, /^erace_[\w-]{43}$/)
    assert.deepEqual([rest.scopes, rest.usedAt, rest.expiresAt], [['read', 'write'], null, null])
    const script = erace.nobody({ authorization: `Bearer ${token}` })
    assert.equal((await script.patch('/me', { name: 'Ada' })).json().name, 'Ada')
    assert.equal((await script.get('/session')).json().via, 'token')
    const listed = await ada.get('/tokens')
    assert.ok(!listed.body.includes(token))
    assert.notEqual(listed.json().items[0].usedAt, null)
    assert.equal((await ada.delete(`/tokens/${rest.id}`)).statusCode, 204)
    refused(await script.get('/me'), 401, 'not-signed-in')
    refused(await ada.delete(`/tokens/${rest.id}`), 404, 'not-found')
  })

  test('with the read scope cannot write', async () => {
    const token = erace.asToken('ada@example.org', ['read'])
    assert.equal((await token.get('/me')).statusCode, 200)
    refused(await token.patch('/me', { name: 'x' }), 403, 'forbidden')
    refused(await token.delete('/sessions'), 403, 'forbidden')
    refused(await token.get('/users'), 403, 'forbidden')
  })

  test('cannot create tokens or end sessions', async () => {
    const token = erace.asToken('root@example.org', ['admin'])
    refused(await token.post('/tokens', { name: 'more' }), 403, 'forbidden')
    refused(await token.delete('/session'), 403, 'forbidden')
  })

  test('take a valid future expiry date, and the admin scope for administrators only', async () => {
    const ada = erace.as('ada@example.org')
    refused(await ada.post('/tokens', { name: 'a', scopes: ['admin'] }), 403, 'forbidden')
    refused(await ada.post('/tokens', { name: 'a', scopes: ['all'] }), 400, 'request-invalid')
    refused(await ada.post('/tokens', { name: 'a', expiresAt: 'soon' }), 400, 'request-invalid')
    refused(await ada.post('/tokens', { name: 'a', expiresAt: '2001-01-01T00:00:00Z' }), 400, 'request-invalid')
    const never = await ada.post('/tokens', { name: 'a', expiresAt: null })
    assert.deepEqual([never.statusCode, never.json().expiresAt], [201, null])
    const made = await ada.post('/tokens', { name: 'a', expiresAt: '2999-01-01T00:00:00Z', scopes: ['read'] })
    assert.deepEqual([made.json().expiresAt, made.json().scopes], ['2999-01-01T00:00:00.000Z', ['read']])
    const [first] = (await erace.as('root@example.org').get('/tokens')).json().items
    assert.notEqual(first?.id, made.json().id)
    refused(await erace.as('root@example.org').delete(`/tokens/${made.json().id}`), 404, 'not-found')
  })
})
