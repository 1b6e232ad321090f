import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { selfSigned } from '../../crawl/fetch/certificate.testkit.ts'
import { type MariadbServer, mariadbSkip, startMariadb } from './mariadb.testkit.ts'
import { bodyOf, lookAt } from './place.testkit.ts'
import { createSqlProtocol } from './sql-protocol.ts'
import { chair, goods, lamp, type SqlServer, secret, testSqlServer } from './sql-server-suite.testkit.ts'

describe('MariaDB', { skip: mariadbSkip }, () => {
  let mariadb: MariadbServer
  let folder = ''
  const server: SqlServer = {
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
    granting: () => [],
    secured: { url: '', cert: '' },
  }
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'erace-mariadb-tls-'))
    const { key, cert } = selfSigned('db.example.org')
    writeFileSync(join(folder, 'key'), key)
    writeFileSync(join(folder, 'cert'), cert)
    mariadb = await startMariadb([`--ssl-key=${join(folder, 'key')}`, `--ssl-cert=${join(folder, 'cert')}`])
    server.secured = { url: server.url('SELECT 1 AS one'), cert }
    await mariadb.administer('CREATE DATABASE shop CHARACTER SET utf8mb4')
    await server.administer(
      `CREATE USER reader@'%' IDENTIFIED BY 'pass"word\\'1'`,
      "CREATE USER owner@'%' IDENTIFIED BY 'pass-of-the-owner'",
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
  after(async () => {
    await mariadb?.end()
    rmSync(folder, { recursive: true, force: true })
  })
  testSqlServer('MariaDB', () => server)

  test('values of each type have a canonical form', async () => {
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
