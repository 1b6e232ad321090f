import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTestServer, type TestServer } from './server.testkit.ts'

describe('server', () => {
  let erace: TestServer
  before(async () => {
    erace = await createTestServer()
    await erace.addUser('ada@example.org')
  })
  after(() => erace.close())

  test('answers unknown paths with 404 and an error code', async () => {
    const answer = await erace.as('ada@example.org').get('/nothing')
    assert.equal(answer.statusCode, 404)
    assert.equal(answer.json().error.code, 'not-found')
  })

  test('refuses an unknown token even on public routes', async () => {
    const answer = await erace.nobody({ authorization: 'Bearer erace_x' }).get('/openapi.json')
    assert.equal(answer.statusCode, 401)
    assert.equal(answer.headers['www-authenticate'], 'Bearer')
  })

  test('accepts a valid token', async () => {
    assert.equal((await erace.asToken('ada@example.org').get('/openapi.json')).statusCode, 200)
  })
})
