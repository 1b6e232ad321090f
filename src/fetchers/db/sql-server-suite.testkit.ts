import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { before, test } from 'node:test'
import type { Protocol } from '../../crawl/fetch/protocol.ts'
import { testProtocol } from '../protocol-suite.testkit.ts'
import { bodyOf, lookAt, type TestPlace } from './place.testkit.ts'
import { createSqlProtocol } from './sql-protocol.ts'

export const secret = { user: 'reader', password: 'pass"word\'1' }
export const goods = `CREATE TABLE goods (id bigint PRIMARY KEY, name varchar(100), price numeric(20,4), flag boolean, seen `
export const [lamp, chair] = [
  "(1, 'Lamp', 12.5, true, '2026-01-02 03:04:05')",
  "(9007199254740993, 'Chäir', 40, false, NULL)",
]

export type SqlServer = {
  /** Runs statements as an administrator. */
  administer(...statements: string[]): Promise<unknown[]>
  url(query: string, more?: string): string
  endless: string
  /** Query that lists the running queries of the reader. */
  running: string
  writes: readonly string[]
  /** Statements that grant the reader access to a table. */
  granting(table: string): readonly string[]
  /** URL of the encrypted server with the query `SELECT 1 AS one`, and its certificate for db.example.org. */
  secured: { url: string; cert: string }
}

/** Tests for both kinds of server. */
export function testSqlServer(name: string, serverOf: () => SqlServer): void {
  let protocol: Protocol
  before(() => {
    protocol = createSqlProtocol({ roots: [] })
  })
  const look = (query: string, more = '', given: TestPlace = {}) =>
    lookAt(protocol, serverOf().url(query, more), { secret, ...given })

  test('returns rows as items with stable validators, and detects a changed cell', async () => {
    const all = () => look('SELECT id, name, price, seen FROM goods ORDER BY id', '&key=id&title=name')
    const first = await all()
    assert.deepEqual(
      first.items.map(({ url, name }) => [url.slice(url.indexOf('#')), name]),
      [
        ['#row=1', 'Lamp'],
        ['#row=9007199254740993', 'Chäir'],
      ],
    )
    assert.equal(
      bodyOf(first),
      '{\n  "id": 1,\n  "name": "Lamp",\n  "price": 12.5000,\n  "seen": "2026-01-02T03:04:05"\n}\n',
    )
    assert.deepEqual([first.isWhole, first.left], [true, ''])
    assert.deepEqual(await all(), first)
    await serverOf().administer('UPDATE goods SET price = 13 WHERE id = 1')
    const third = await all()
    await serverOf().administer('UPDATE goods SET price = 12.5 WHERE id = 1')
    assert.deepEqual(
      third.items.map(({ validator }, at) => validator === first.items[at]!.validator),
      [false, true],
    )
    assert.equal(bodyOf(third), bodyOf(first).replace('12.5000', '13.0000'))
  })

  test('numbers duplicate column names', async () => {
    assert.equal(bodyOf(await look('SELECT 1 AS a, 2 AS a')), 'a,a (2)\r\n1,2\r\n')
  })

  test('returns a complete list without items for an empty result, and still checks its key', async () => {
    const list = await look('SELECT id FROM goods WHERE id < 0', '&key=id')
    assert.deepEqual([list.items, list.isWhole], [[], true])
    assert.equal(bodyOf(await look('SELECT id, name FROM goods WHERE id < 0')), 'id,name\r\n')
    await assert.rejects(look('SELECT id FROM goods WHERE id < 0', '&key=nr'), { code: 'query-refused' })
  })

  test('rejects queries that write, and writes nothing', async () => {
    for (const query of serverOf().writes) await assert.rejects(look(query), { code: 'query-refused' }, query)
    const list = await look('SELECT count(*) AS n, sum(price) AS sum FROM goods')
    assert.equal(bodyOf(list), 'n,sum\r\n2,52.5000\r\n')
  })

  test('times out an endless query, and ends it on the server', { timeout: 60_000 }, async () => {
    const { endless, running } = serverOf()
    await assert.rejects(look(endless, '', { limits: { stallTimeoutMs: 300 } }), { code: 'query-timeout' })
    // The server answers before it has cleaned up.
    while ((await serverOf().administer(running)).length > 0);
  })

  test('reads only as many rows as the limit allows, and reports it', async () => {
    const list = await look(
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000) SELECT a.x * 1000 + b.x AS id FROM c a, c b',
      '&key=id',
      { limits: { maxItems: 250 } },
    )
    assert.equal(list.items.length, 250)
    assert.deepEqual([list.isWhole, list.left], [false, 'only the first 250 rows were read'])
  })

  test('truncates a very long row, and reports it', async () => {
    const list = await look("SELECT 1 AS id, repeat('x', 300000) AS t", '&key=id', { limits: { maxBodyBytes: 1000 } })
    assert.deepEqual([list.items[0]!.body!.isCut, list.left], [true, '1 row cut at 1000 bytes'])
  })

  test('reports wrong credentials without quoting them', async () => {
    for (const wrong of [
      null,
      { user: '', password: 'x' },
      { user: 'reader', password: 'wr0ng' },
      { user: 'a\r\nb', password: '' },
    ])
      await assert.rejects(look('SELECT 1', '', { secret: wrong }), (error: Error & { code: string }) => {
        assert.equal(error.code, 'sign-in-failed')
        assert.doesNotMatch(`${error.message}${String(error.cause ?? '')}`, /wr0ng|reader/)
        return true
      })
  })

  test("rejects an invalid query with the server's message", async () => {
    await assert.rejects(look('SELECT absent FROM goods'), { code: 'query-refused', message: /absent/ })
    await assert.rejects(look('SELECT 1 FROM'), { code: 'query-refused' })
  })

  test('reports a missing database', async () => {
    const work = lookAt(protocol, atMissing(serverOf().url('SELECT 1')), { secret: otherSecret(serverOf()) })
    await assert.rejects(work, { code: 'not-found' })
  })

  test('ends the query when the visit is aborted', async () => {
    const visit = new AbortController()
    const work = look(serverOf().endless, '', { signal: visit.signal })
    visit.abort()
    await assert.rejects(work, { code: 'query-timeout' })
  })

  test('accepts any certificate or only a valid one, depending on sslmode', async () => {
    const { secured } = serverOf()
    const at = (host: string, sslmode: string, ca?: string) =>
      lookAt(
        createSqlProtocol({ roots: [], tls: ca === undefined ? {} : { ca } }),
        `${secured.url.replace('//localhost', `//${host}`)}&sslmode=${sslmode}`,
        { secret },
      )
    const { cert } = secured
    assert.equal(bodyOf(await at('db.example.org', 'require')), 'one\r\n1\r\n')
    assert.equal(bodyOf(await at('db.example.org', 'verify-full', cert)), 'one\r\n1\r\n')
    await assert.rejects(at('db.example.org', 'verify-full'), { code: 'tls-failed' })
    await assert.rejects(at('other.example.org', 'verify-full', cert), { code: 'tls-failed' })
  })

  test('reports a server that is silent, closes the connection or sends garbage', async () => {
    const sockets: Socket[] = []
    const answers: ((socket: Socket) => void)[] = [
      () => {},
      (socket) => socket.destroy(),
      (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (socket) => void socket.write(Buffer.alloc(8 << 20, 0xff)),
    ]
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}))
      answers[sockets.length - 1]!(socket)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const url = serverOf()
      .url('SELECT 1')
      .replace(/:\d+\//, `:${port}/`)
    const codes: string[] = []
    for (const _ of answers)
      await lookAt(protocol, url, { secret, limits: { connectTimeoutMs: 500, maxBodyBytes: 1 << 20 } }).catch((error) =>
        codes.push(error.code),
      )
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
    assert.deepEqual(codes.slice(0, 2), ['connect-timeout', 'connect-failed'])
    assert.equal(codes.length, answers.length)
    await assert.rejects(lookAt(protocol, url, { secret }), { code: 'connect-refused' })
  })

  let worlds = 0
  testProtocol(
    `SQL on ${name}`,
    async () => {
      const server = serverOf()
      const table = `texts${++worlds}`
      await server.administer(
        `CREATE TABLE ${table} (name varchar(20) PRIMARY KEY, text text)`,
        ...server.granting(table),
      )
      const url = protocol.normalise(server.url(`SELECT * FROM ${table}`, '&key=name'))
      return {
        protocol,
        url,
        missingUrl: atMissing(url),
        secret: otherSecret(server),
        wrongSecret: { ...otherSecret(server), password: 'not-the-password' },
        put: async (name, text) => void (await server.administer(`INSERT INTO ${table} VALUES ('${name}', '${text}')`)),
        change: async (name, text) =>
          void (await server.administer(`UPDATE ${table} SET text = '${text}' WHERE name = '${name}'`)),
        remove: async (name) => void (await server.administer(`DELETE FROM ${table} WHERE name = '${name}'`)),
        close: async () => void (await server.administer(`DROP TABLE ${table}`)),
      }
    },
    { lacks: { counts: 'rows come with their list', push: 'rows are asked for' } },
  )
}

const atMissing = (url: string): string => url.replace(/\/shop\w*\?/, '/absent?')

/** Credentials of a user who may see that a database doesn't exist. */
function otherSecret(server: SqlServer) {
  return server.url('SELECT 1').startsWith('postgres') ? secret : { user: 'owner', password: 'pass-of-the-owner' }
}
