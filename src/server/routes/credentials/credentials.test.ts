import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { createTestServer, type TestServer } from '../../server.testkit.ts'

const ann = 'ann@example.org'
const eve = 'eve@example.org'
const root = 'root@example.org'
const values = { user: 'ann at the bank', password: 'hunter2-secret' }

type Problem = { error: { code: string; message: string; details?: { place: string; message: string }[] } }

const withServer = (work: (server: TestServer) => Promise<void>) => async () => {
  const server = await createTestServer({ clock: createManualClock() })
  try {
    await server.addUser(ann)
    await server.addUser(eve)
    await server.addUser(root, { role: 'administrator' })
    await work(server)
  } finally {
    await server.close()
  }
}

async function refusal(answer: Promise<{ statusCode: number; json(): Problem }>, status = 400): Promise<string[]> {
  const { statusCode, json } = await answer
  const { error } = json()
  assert.equal(statusCode, status, JSON.stringify(error))
  return error.details?.map(({ place, message }) => `${place}: ${message}`) ?? [error.message]
}

describe('credentials', () => {
  test(
    'are stored, listed, replaced and removed by their owner, and no response contains a secret',
    withServer(async (server) => {
      const her = server.as(ann)
      const made = await her.post('/credentials', { name: ' bank ', kind: 'password', values })
      assert.equal(made.statusCode, 201, made.body)
      const { id, ...rest } = made.json()
      assert.match(id, /^[0-9a-f]{24}$/)
      assert.deepEqual(rest, {
        ...{ name: 'bank', kind: 'password', hint: values.user, failure: '', problem: '', profiles: [] },
        ...{ createdAt: '2026-01-01T00:00:00.000Z', changedAt: '2026-01-01T00:00:00.000Z' },
        ...{ usedAt: null, failedSince: null, retryAt: null },
      })
      const replaced = await her.put(`/credentials/${id}`, { kind: 'bearer', values: { token: 'tok-secret' } })
      assert.deepEqual([replaced.statusCode, replaced.json().kind, replaced.json().hint], [200, 'bearer', ''])
      const answers = [made, replaced, await her.get('/credentials'), await her.get(`/credentials/${id}`)]
      for (const { body } of answers) assert.doesNotMatch(body, /hunter2|tok-secret/)
      assert.equal((await her.delete(`/credentials/${id}`)).statusCode, 204)
      assert.equal((await her.get(`/credentials/${id}`)).statusCode, 404)
    }),
  )

  test(
    'are refused with all errors if invalid, and no error shows a value',
    withServer(async (server) => {
      const her = server.as(ann)
      const wrong = { name: 'x\u0000', kind: 'password', values: { user: 'a\r\nb', token: 'tok-secret' } }
      const faults = await refusal(her.post('/credentials', wrong))
      assert.deepEqual(faults, [
        'name: has line breaks or control characters in it',
        'values.user: has line breaks or control characters in it',
        'values.password: is missing',
        'values.token: is not part of credentials of the kind password',
      ])
      await her.post('/credentials', { name: 'bank', kind: 'password', values })
      assert.deepEqual(await refusal(her.post('/credentials', { name: 'bank', kind: 'password', values })), [
        'name: you have credentials of this name; choose another one',
      ])
    }),
  )

  test(
    'can be used by sources of their owner only, and not removed while a profile uses them',
    withServer(async (server) => {
      const her = server.as(ann)
      const source = { uri: 'https://a.example/', credentials: 'bank' }
      const profile = { name: 'Accounts', sources: [source] }
      assert.deepEqual(await refusal(her.post('/profiles', profile)), [
        'sources[0].credentials: you have no credentials named "bank"; store them first',
      ])
      const { id } = (await her.post('/credentials', { name: 'bank', kind: 'password', values })).json()
      const made = await her.post('/profiles', profile)
      assert.equal(made.statusCode, 201, made.body)
      assert.equal(made.json().sources[0].credentials, 'bank')
      assert.equal(made.json().sources[0].uri, 'https://a.example/')
      await refusal(server.as(eve).post('/profiles', profile))
      assert.deepEqual(await refusal(her.delete(`/credentials/${id}`)), [
        'the profile "Accounts" still uses these credentials',
      ])
      const [shown] = (await her.get('/credentials')).json().items
      assert.deepEqual(shown.profiles, [{ id: made.json().id, name: 'Accounts' }])
      await her.delete(`/profiles/${made.json().id}`)
      assert.equal((await her.delete(`/credentials/${id}`)).statusCode, 204)
    }),
  )

  test(
    'are invisible to others, even administrators, and are deleted with the account',
    withServer(async (server) => {
      const { id } = (await server.as(ann).post('/credentials', { name: 'bank', kind: 'password', values })).json()
      for (const other of [eve, root]) {
        const they = server.as(other)
        assert.deepEqual((await they.get('/credentials')).json().items, [])
        for (const answer of [
          await they.get(`/credentials/${id}`),
          await they.put(`/credentials/${id}`, { kind: 'bearer', values: { token: 'x' } }),
          await they.delete(`/credentials/${id}`),
        ])
          assert.equal(answer.statusCode, 404)
      }
      // Another user can use the same name.
      const own = await server.as(eve).post('/credentials', { name: 'bank', kind: 'bearer', values: { token: 'x' } })
      assert.notEqual(own.json().id, id)
      const users = (await server.as(root).get('/users')).json().items as { id: number; email: string }[]
      await server.as(root).delete(`/users/${users.find(({ email }) => email === ann)!.id}`)
      assert.equal(await server.stores.credentials.find(id), null)
      assert.notEqual(await server.stores.credentials.find(own.json().id), null)
    }),
  )
})
