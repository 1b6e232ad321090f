import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { selfSigned } from '../../crawl/fetch/certificate.testkit.ts'
import { postgres, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { administer, databaseAddress } from '../../store/postgres/testkit/postgres-server.testkit.ts'
import { bodyOf, lookAt } from './place.testkit.ts'
import { createSqlProtocol } from './sql-protocol.ts'
import { chair, goods, lamp, type SqlServer, secret, testSqlServer } from './sql-server-suite.testkit.ts'

usePostgres()

describe('PostgreSQL', () => {
  let port = ''
  let asRoot: pg.Client
  let encrypting: Server
  const server: SqlServer = {
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
    granting: (table) => [`GRANT SELECT ON ${table} TO reader`],
    secured: { url: '', cert: '' },
  }
  before(async () => {
    const { address } = await postgres()
    port = new URL(address).port
    const certificate = selfSigned('db.example.org')
    encrypting = await encryptedBefore(Number(port), certificate)
    const { port: encryptedPort } = encrypting.address() as { port: number }
    const url = server.url('SELECT 1 AS one').replace(`:${port}`, `:${encryptedPort}`)
    server.secured = { url, cert: certificate.cert }
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
    encrypting.close()
    await administer((await postgres()).address, 'DROP DATABASE shop_db WITH (FORCE)')
  })
  testSqlServer('PostgreSQL', () => server)

  test('sslmode=require fails if the server offers no encryption', async () => {
    const work = lookAt(createSqlProtocol({ roots: [] }), server.url('SELECT 1', '&sslmode=require'), { secret })
    await assert.rejects(work, { code: 'tls-failed', message: /does not offer encryption/ })
  })

  test('a far too large result is refused or cut at the size limit', async () => {
    const small = createSqlProtocol({ roots: [], maxResultBytes: 1 << 20 })
    const work = lookAt(small, server.url("SELECT repeat('x', 10000000) AS t FROM generate_series(1, 1000)"), {
      secret,
    })
    await assert.rejects(work, { code: 'query-refused', message: /sent more than/ })
    const list = await lookAt(small, server.url("SELECT i, repeat('x', 1000) AS t FROM generate_series(1, 5000) i"), {
      secret,
    })
    assert.match(list.left, /^only the first 10\d\d rows were read$/)
  })

  test('values of each type have a canonical form, regardless of the settings of the role', async () => {
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

/** A TLS proxy that accepts the SSL request, in front of a server without encryption. */
async function encryptedBefore(port: number, certificate: { key: string; cert: string }): Promise<Server> {
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', () => {
        const secure = new TLSSocket(socket, { isServer: true, ...certificate })
        const behind = connect(port, '127.0.0.1')
        secure.on('error', () => behind.destroy()).pipe(behind)
        behind.on('error', () => secure.destroy()).pipe(secure)
        socket.write('S')
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
