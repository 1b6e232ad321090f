import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { addToken, dataOf, failureOf } from '../../../test/mcp/mcp-suite.ts'
import { ada, createKeptArchive, type KeptArchive } from '../routes/archive/archive.testkit.ts'

describe('MCP over HTTP', () => {
  let kept: KeptArchive
  let address: string
  let token: string

  before(async () => {
    kept = await createKeptArchive({ '/linked': { body: '<h1>Linked</h1><p>by <a href="/there">a link</a></p>' } })
    address = await kept.erace.server.listen({ host: '127.0.0.1', port: 0 })
    token = await addToken(kept, ada)
  })
  after(() => kept.close())

  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

  function post(body: unknown, headers: Record<string, string> = {}) {
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const own = { ...json, authorization: `Bearer ${token}` }
    return kept.erace.server.inject({ method: 'POST', url: '/mcp', headers: { ...own, ...headers }, payload })
  }

  async function clientWith(secret: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' })
    const requestInit = { headers: { authorization: `Bearer ${secret}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit }))
    return client
  }

  test('requires a valid token, and does not accept cookies', async () => {
    assert.equal((await post(list)).statusCode, 200)
    const cookie = String((await kept.erace.as(ada).get('/session')).raw.req.headers.cookie)
    for (const headers of [{}, { cookie }, { authorization: 'Bearer erace_wrong' }]) {
      const answer = await kept.erace.server.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...json, ...headers },
        payload: list,
      })
      assert.deepEqual([answer.statusCode, answer.headers['www-authenticate']], [401, 'Bearer'])
    }
  })

  test('does not let a read-only token change anything', async () => {
    const client = await clientWith(await addToken(kept, ada, ['read']))
    assert.equal((await dataOf(client, 'sources', {})).items.length, 1)
    assert.match(
      await failureOf(client, 'watch', { url: kept.url('/x') }),
      /^forbidden: watch needs a token with the scope write/,
    )
    assert.match(await failureOf(client, 'mark', { ids: [1], read: true }), /^forbidden/)
    assert.equal((await dataOf(client, 'sources', {})).items.length, 1)
    await client.close()
  })

  test('refuses requests from other origins, including DNS rebinding', async () => {
    const host = new URL(address).host
    for (const [origin, asked, status] of [
      ['http://evil.example', host, 403],
      ['http://evil.example', 'evil.example', 403],
      ['null', host, 403],
      [address, host, 200],
    ] as const)
      assert.deepEqual([origin, asked, (await post(list, { origin, host: asked })).statusCode], [origin, asked, status])
  })

  test('answers invalid requests with 4xx or an error code', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    for (const [body, status] of [
      ['{', 400],
      ['', 400],
      ['null', 400],
      ['[]', 400],
      [[list, list], 400],
      [{ hello: 'world' }, 400],
      [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep}}`, 400],
      [{ ...list, params: { filler: 'x'.repeat(300_000) } }, 413],
    ] as const) {
      const answer = await post(body)
      assert.equal(answer.statusCode, status, `${JSON.stringify(body).slice(0, 60)}: ${answer.payload.slice(0, 200)}`)
    }
    assert.equal((await post(list, { 'content-type': 'text/xml' })).statusCode, 415)
    const unknown = await post({ ...list, method: 'no/such/method' })
    assert.match(unknown.payload, /-32601/)
  })

  test('offers no streams', async () => {
    const headers = { accept: json.accept, authorization: `Bearer ${token}` }
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await kept.erace.server.inject({ method, url: '/mcp', headers })).statusCode, 405)
    const version = '2026-07-28'
    const meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { _meta: meta, notifications: { toolsListChanged: true } }
    const answer = await post(
      { ...list, method: 'subscriptions/listen', params },
      { 'mcp-protocol-version': version, 'mcp-method': 'subscriptions/listen' },
    )
    assert.match(answer.payload, /Subscription limit reached/)
  })

  test('keeps working if clients disconnect during a call', async () => {
    const call = { ...list, method: 'tools/call', params: { name: 'search', arguments: { query: 'solar' } } }
    const body = JSON.stringify(call)
    const { hostname, port } = new URL(address)
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      const head = `POST /mcp HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\n`
      const fields = `content-type: ${json['content-type']}\r\naccept: ${json.accept}\r\ncontent-length: ${body.length}\r\n\r\n`
      await new Promise<unknown>((done) => socket.write(head + fields + body, done))
      socket.destroy()
      await once(socket, 'close')
    }
    const client = await clientWith(token)
    // Reads of the closed connections may still be in progress; after them there is room again.
    for (;;) {
      const result = await client.callTool({ name: 'search', arguments: { query: 'solar' } })
      if (result.isError !== true) break
      assert.match(JSON.stringify(result.content), /too-many-reads/)
    }
    await client.close()
  })

  test('returns changes with the text before and after, and the text of versions', async () => {
    const client = await clientWith(token)
    const { items } = await dataOf(client, 'changes_since', { since: '1d', url: kept.url('/') })
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ['changed', 'new'],
    )
    const changes = items[0]!.changes.map(({ kind, before, after: now }) => [kind, before, now])
    assert.deepEqual(
      changes.find(([, before]) => before?.startsWith('Edition')),
      ['changed', 'Edition 1 of solar news', 'Edition 2 of solar news'],
    )
    const first = await dataOf(client, 'changes_since', { since: '1d', url: kept.url('/'), limit: 1 })
    assert.equal(first.items.length, 1)
    const rest = await dataOf(client, 'changes_since', { since: '1d', url: kept.url('/'), cursor: first.next })
    assert.deepEqual(
      rest.items.map(({ kind }) => kind),
      ['new'],
    )
    const old = await dataOf(client, 'read_version', { url: kept.url('/'), at: 'first' })
    assert.match(old.text, /Edition 1/)
    const markdown = await dataOf(client, 'read_version', { url: kept.url('/linked'), format: 'markdown-page' })
    assert.match(markdown.text, /^# Linked\n.*\[a link\]\(http:.*\/there\)/s)
    await client.close()
  })
})
