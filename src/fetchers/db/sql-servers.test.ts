import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import type { Protocol } from '../../crawl/fetch/protocol.ts'
import { postgres, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { administer, databaseAddress } from '../../store/postgres/testkit/postgres-server.testkit.ts'
import { type MariadbServer, mariadbSkip, startMariadb } from './mariadb.testkit.ts'
import { bodyOf, lookAt, type TestPlace } from './place.testkit.ts'
import { createSqlProtocol } from './sql-protocol.ts'

usePostgres()
const secret = { user: 'reader', password: 'pass"word\'1' }
const goods = `CREATE TABLE goods (id bigint PRIMARY KEY, name varchar(100), price numeric(20,4), flag boolean, seen `
const [lamp, chair] = ["(1, 'Lamp', 12.5, true, '2026-01-02 03:04:05')", "(9007199254740993, 'Chäir', 40, false, NULL)"]

type Server = {
  /** Runs statements as somebody who may do everything. */
  administer(...statements: string[]): Promise<unknown[]>
  url(query: string, more?: string): string
  endless: string
  /** Running queries of the reader. */
  running: string
  writes: readonly string[]
}

/** What both kinds of server have in common. */
function testServer(serverOf: () => Server): void {
  let protocol: Protocol
  before(() => {
    protocol = createSqlProtocol({ roots: [] })
  })
  const look = (query: string, more = '', given: TestPlace = {}) =>
    lookAt(protocol, serverOf().url(query, more), { secret, ...given })

  test('rows are items; the second look has the same, a change is one of a cell', async () => {
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

  test('names that come twice are told apart', async () => {
    assert.equal(bodyOf(await look('SELECT 1 AS a, 2 AS a')), 'a,a (2)\r\n1,2\r\n')
  })

  test('an empty result is a whole list without items; its key is still checked', async () => {
    const list = await look('SELECT id FROM goods WHERE id < 0', '&key=id')
    assert.deepEqual([list.items, list.isWhole], [[], true])
    await assert.rejects(look('SELECT id FROM goods WHERE id < 0', '&key=nr'), { code: 'query-refused' })
  })

  test('what writes is refused by the database, and nothing is written', async () => {
    for (const query of serverOf().writes) await assert.rejects(look(query), { code: 'query-refused' }, query)
    const list = await look('SELECT count(*) AS n, sum(price) AS sum FROM goods')
    assert.equal(bodyOf(list), 'n,sum\r\n2,52.5000\r\n')
  })

  test('a query that runs for ever is cut, and the server works on it no longer', async () => {
    const { endless, running } = serverOf()
    await assert.rejects(look(endless, '', { limits: { stallTimeoutMs: 300 } }), { code: 'query-timeout' })
    assert.deepEqual(await serverOf().administer(running), [])
  })

  test('of a million rows, as many are read as the limit says, and it says so', async () => {
    const list = await look(
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000) SELECT a.x * 1000 + b.x AS id FROM c a, c b',
      '&key=id',
      { limits: { maxItems: 250 } },
    )
    assert.equal(list.items.length, 250)
    assert.deepEqual([list.isWhole, list.left], [false, 'only the first 250 rows were read'])
  })

  test('a row as long as a book is cut, and it says so', async () => {
    const list = await look("SELECT 1 AS id, repeat('x', 300000) AS t", '&key=id', { limits: { maxBodyBytes: 1000 } })
    assert.deepEqual([list.items[0]!.body!.isCut, list.left], [true, '1 row cut at 1000 bytes'])
  })

  test('wrong credentials are told without repeating them', async () => {
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

  test('a wrong query is refused with what the server says of it', async () => {
    await assert.rejects(look('SELECT absent FROM goods'), { code: 'query-refused', message: /absent/ })
    await assert.rejects(look('SELECT 1 FROM'), { code: 'query-refused' })
  })

  test('a database that is not there is told', async () => {
    const url = serverOf()
      .url('SELECT 1')
      .replace(/\/shop\w*\?/, '/absent?')
    await assert.rejects(lookAt(protocol, url, { secret: await otherSecret(serverOf()) }), { code: 'not-found' })
  })

  test('the end of a visit ends its query', async () => {
    const visit = new AbortController()
    const work = look(serverOf().endless, '', { signal: visit.signal })
    visit.abort()
    await assert.rejects(work, { code: 'query-timeout' })
  })

  test('a server without encryption is told', async () => {
    await assert.rejects(look('SELECT 1', '&sslmode=require'), { code: 'tls-failed' })
  })

  test('a server that says nothing, closes the line or talks nonsense is told', async () => {
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
}

/** Of somebody who may see that a database is not there. */
async function otherSecret(server: Server) {
  return server.url('SELECT 1').startsWith('postgres') ? secret : { user: 'owner', password: 'x' }
}

describe('PostgreSQL', () => {
  let port = ''
  let asRoot: pg.Client
  const server: Server = {
    async administer(...statements) {
      let last: unknown[] = []
      for (const statement of statements) last = (await asRoot.query(statement)).rows
      return last
    },
    url: (query, more = '') => `postgres://localhost:${port}/shop_db?query=${encodeURIComponent(query)}${more}`,
    endless: 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT count(*) FROM c',
    running: "SELECT query FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'",
    writes: [
      'WITH x AS (DELETE FROM goods RETURNING *) SELECT * FROM x',
      'WITH x AS (SELECT 1) DELETE FROM goods',
      'SELECT * INTO copy FROM goods',
      'SELECT * FROM goods FOR UPDATE',
      "SELECT nextval('numbers')",
      'SELECT empty_goods()',
      "SELECT set_config('transaction_read_only', 'off', false)",
      "SELECT set_config('transaction_read_only', 'off', true), empty_goods()",
      'SELECT lo_create(0)',
    ],
  }
  before(async () => {
    const { address } = await postgres()
    port = new URL(address).port
    await administer(address, 'DROP DATABASE IF EXISTS shop_db')
    await administer(address, 'CREATE DATABASE shop_db')
    asRoot = new pg.Client({ connectionString: databaseAddress(address, 'shop_db') })
    await asRoot.connect()
    const password = asRoot.escapeLiteral(secret.password)
    await server.administer(
      'DROP ROLE IF EXISTS reader',
      `CREATE ROLE reader LOGIN PASSWORD ${password}`,
      `${goods} timestamp, at timestamptz, raw bytea, data jsonb)`,
      `INSERT INTO goods VALUES ${lamp}, ${chair}`.replaceAll(
        ')',
        ", '2026-01-02 03:04:05.5+02', '\\x00ff', '{\"b\": 1.50, \"a\": [1]}')",
      ),
      'CREATE SEQUENCE numbers',
      'CREATE FUNCTION empty_goods() RETURNS int LANGUAGE sql AS $$ DELETE FROM goods; SELECT 1 $$',
      'GRANT ALL ON ALL TABLES IN SCHEMA public TO reader',
      'GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO reader',
      'GRANT CREATE ON SCHEMA public TO reader',
    )
  })
  after(async () => {
    await server.administer('DROP OWNED BY reader', 'DROP ROLE reader')
    await asRoot.end()
    await administer((await postgres()).address, 'DROP DATABASE shop_db WITH (FORCE)')
  })
  testServer(() => server)

  test('a result that is far too large is refused before all of it is here', async () => {
    const small = createSqlProtocol({ roots: [], maxResultBytes: 1 << 20 })
    const work = lookAt(small, server.url("SELECT repeat('x', 150000000) AS t FROM generate_series(1, 5)"), { secret })
    await assert.rejects(work, { code: 'query-refused', message: /sent more than/ })
    const list = await lookAt(small, server.url("SELECT i, repeat('x', 1000) AS t FROM generate_series(1, 5000) i"), {
      secret,
    })
    assert.match(list.left, /^only the first 10\d\d rows were read$/)
  })

  test('each type has one spelling, whatever the settings of the user', async () => {
    await server.administer(
      "ALTER ROLE reader SET timezone = 'Asia/Tokyo'",
      "ALTER ROLE reader SET datestyle = 'German'",
      "ALTER ROLE reader SET bytea_output = 'escape'",
      'ALTER ROLE reader SET default_transaction_read_only = off',
      'ALTER ROLE reader SET statement_timeout = 0',
    )
    const list = await lookAt(
      createSqlProtocol({ roots: [] }),
      server.url(
        "SELECT id, flag, at, raw, data, 'NaN'::float8 AS nan, 1e20::float8 AS big, 'infinity'::timestamp AS ever, '1 day'::interval AS day, ARRAY[1,2] AS list, NULL AS none, current_date > '2000-01-01' AS now FROM goods WHERE id = 1",
        '&key=id',
      ),
      { secret },
    )
    assert.deepEqual(bodyOf(list).split('\n').slice(1, -2), [
      '  "id": 1,',
      '  "flag": true,',
      '  "at": "2026-01-02T01:04:05.5Z",',
      '  "raw": { "bytes": 2, "base64": "AP8=" },',
      '  "data": {"a":[1],"b":1.50},',
      '  "nan": "NaN",',
      '  "big": 1e+20,',
      '  "ever": "infinity",',
      '  "day": "P1D",',
      '  "list": "{1,2}",',
      '  "none": null,',
      '  "now": true',
    ])
  })
})

describe('MariaDB', { skip: mariadbSkip }, () => {
  let mariadb: MariadbServer
  const server: Server = {
    administer: (...statements) => mariadb.administer('USE shop', ...statements),
    url: (query, more = '') => `mariadb://localhost:${mariadb.port}/shop?query=${encodeURIComponent(query)}${more}`,
    endless:
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT count(*), BENCHMARK(1000000000000, SHA2(1, 512)) FROM c',
    running: "SELECT info FROM information_schema.processlist WHERE user = 'reader' AND info IS NOT NULL",
    writes: [
      'WITH x AS (SELECT 1) DELETE FROM goods',
      'SELECT empty_goods()',
      'SELECT 1 FROM goods; DELETE FROM goods',
    ],
  }
  before(async () => {
    mariadb = await startMariadb()
    await mariadb.administer('CREATE DATABASE shop CHARACTER SET utf8mb4')
    await server.administer(
      `CREATE USER reader@'%' IDENTIFIED BY 'pass"word\\'1'`,
      "CREATE USER owner@'%' IDENTIFIED BY 'x'",
      "GRANT ALL ON *.* TO owner@'%'",
      "GRANT ALL ON shop.* TO reader@'%'",
      `${goods} datetime, at timestamp NULL, raw varbinary(10), bits bit(3), small int(5) zerofill, data json)`,
      `INSERT INTO goods VALUES ${lamp}, ${chair}`.replaceAll(
        ')',
        ", '2026-01-02 03:04:05', x'00ff', b'101', 7, '{\"b\": 1.50}')",
      ),
      'CREATE FUNCTION empty_goods() RETURNS int BEGIN DELETE FROM goods; RETURN 1; END',
      'CREATE SEQUENCE numbers',
    )
  })
  after(() => mariadb?.end())
  testServer(() => server)

  test('each type has one spelling', async () => {
    const list = await lookAt(
      createSqlProtocol({ roots: [] }),
      server.url(
        'SELECT id, flag, at, raw, bits, small, data, 1e20 AS big, TRUE AS t, NULL AS none, DATE(seen) AS day FROM goods WHERE id = 1',
        '&key=id',
      ),
      { secret },
    )
    assert.deepEqual(bodyOf(list).split('\n').slice(1, -2), [
      '  "id": 1,',
      '  "flag": 1,',
      '  "at": "2026-01-02T03:04:05Z",',
      '  "raw": { "bytes": 2, "base64": "AP8=" },',
      '  "bits": { "bytes": 1, "base64": "BQ==" },',
      '  "small": "00007",',
      '  "data": "{\\"b\\": 1.50}",',
      '  "big": 1e20,',
      '  "t": 1,',
      '  "none": null,',
      '  "day": "2026-01-02"',
    ])
  })
})
