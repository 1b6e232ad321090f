import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startErace } from '../../../test/kit/erace.ts'
import { pageWith } from '../../archive/export/export.testkit.ts'
import { lockCollector } from '../../store/postgres/archive/collection.ts'
import { openPool } from '../../store/postgres/connection/pool.ts'
import { createPostgresDocuments } from '../../store/postgres/documents/documents.ts'
import { postgres, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { administer, databaseAddress } from '../../store/postgres/testkit/postgres-server.testkit.ts'
import { type ClusterCommandTarget, createPostgresTarget, recordCaptures } from './targets.testkit.ts'

usePostgres()

const same = '<p>the same everywhere'
const at = Date.UTC(2026, 0, 1)

describe('commands on a shared store', () => {
  let target: ClusterCommandTarget
  const { query } = { query: (sql: string) => target.database.pool.query<Record<string, unknown>>(sql) }
  before(async () => {
    target = await createPostgresTarget(
      ['a.example', 'b.example', 'c.example'].flatMap((host) => [
        pageWith(host, '/', `<p>words of ${host}`, { at }),
        pageWith(host, '/same', same, { at }),
      ]),
    )
  })
  after(() => target?.destroy())

  test('report a database without the schema', async () => {
    const { address } = await postgres()
    const name = `erace_bare_${process.pid}`
    await administer(address, `CREATE DATABASE ${name}`)
    try {
      for (const argv of [['status'], ['show', 'http://a.example/'], ['user', 'list'], ['gc']]) {
        const { code, err } = await target.run(argv, { store: databaseAddress(address, name) })
        assert.equal(code, 1)
        assert.match(err, /lacks \d+ steps of the schema; erace migrate applies them/)
      }
    } finally {
      await administer(address, `DROP DATABASE ${name} WITH (FORCE)`)
    }
  })

  test('report an unreachable database', async () => {
    const { code, err } = await target.run(['status'], { store: 'postgres://nobody@127.0.0.1:1/nothing' })
    assert.equal(code, 1)
    assert.match(err, /ECONNREFUSED|refused/i)
  })

  test('print the address of the store without its password', async () => {
    const { stdout, stderr, exitCode } = await startErace(['status', '--store', target.database.address]).ended
    assert.equal(exitCode, 0, stderr)
    const { host, pathname, password } = new URL(target.database.address)
    assert.ok(stdout.startsWith(`postgres://${host}${pathname}: no crawl yet\n`), stdout)
    assert.ok(!stdout.includes(password))
  })

  test('refer to pg_dump and pg_restore for backup and restore', async () => {
    const backup = await target.run(['backup', 'x.tar'])
    assert.equal(backup.code, 2)
    assert.match(backup.err, /pg_dump --format=custom/)
    assert.match((await target.run(['restore', 'x.tar'])).err, /pg_restore/)
  })

  test('report damaged records, drop them with --repair, and accept them again', async () => {
    const [original] = await query(
      `SELECT v.id, v.record, d.url FROM versions v JOIN documents d ON d.id = v.document
       WHERE v.original = v.id AND d.url LIKE '%/same'`,
    )
    const [lonely] = await query(
      `SELECT v.record, d.url FROM versions v JOIN documents d ON d.id = v.document WHERE d.url = 'http://b.example/'`,
    )
    await query(
      `UPDATE records SET bytes = overlay(bytes PLACING '\\x00112233'::bytea FROM 30) WHERE id = ${original!.record}`,
    )
    await query(`DELETE FROM records WHERE id = ${lonely!.record}`)
    const found = await target.run(['verify', '--json'])
    assert.equal(found.code, 1)
    const { faults, faultCount, records } = found.json() as {
      faults: { url: string }[]
      faultCount: number
      records: number
    }
    assert.deepEqual([faultCount, records], [2, 6])
    assert.deepEqual(faults.map(({ url }) => url).sort(), [original!.url, lonely!.url].sort())

    const repaired = await target.run(['verify', '--repair', '--json'])
    assert.equal(repaired.code, 0, repaired.out)
    const report = repaired.json() as { faultCount: number; repaired: { lostVersions: number; lostUrls: string[] } }
    // Versions that referred to the body are lost with it.
    assert.deepEqual([report.faultCount, report.repaired.lostVersions], [0, 4])
    assert.equal(report.repaired.lostUrls.length, 3)

    await recordCaptures(target.database, [pageWith('b.example', '/', '<p>words of b.example', { at: at + 1000 })])
    const again = await target.run(['show', 'http://b.example/'])
    assert.equal(again.out, '<p>words of b.example')
    assert.equal((await target.run(['verify'])).code, 0)
  })

  test('allow one garbage collection at a time, and clear the marks of a killed one', async () => {
    const held = await lockCollector(target.database.pool)
    const refused = await target.run(['gc'])
    assert.equal(refused.code, 1)
    assert.match(refused.err, /another garbage collection is under way/)
    assert.equal((await target.run(['gc', '--dry-run'])).code, 0)
    await held.release()
    await query('UPDATE versions SET leaving = true')
    assert.equal((await target.run(['gc'])).code, 0)
    assert.deepEqual(await query('SELECT 1 FROM versions WHERE leaving'), [])
  })

  test('collect garbage while workers record, without damage', async () => {
    const pool = openPool({ address: target.database.address, maxConnections: 4, name: 'worker' })
    const documents = createPostgresDocuments({ pool, epochOf: () => 1 })
    let rounds = 0
    let isOver = false
    const recording = (async () => {
      // Bodies keep recurring under other documents than those whose versions are removed.
      for (; !isOver || rounds < 30; rounds++)
        await documents.record(
          Array.from({ length: 10 }, (_, n) =>
            pageWith(`host${n}.example`, `/${rounds % 7}`, `<p>body ${(rounds + n) % 5}`, {
              at: at + 1e6 + rounds * 1000,
            }),
          ),
        )
    })()
    try {
      for (let n = 0; n < 6; n++) {
        const { code, err } = await target.run(['gc', '--retention', 'versions=1'])
        assert.equal(code, 0, err)
      }
    } finally {
      isOver = true
      await recording
      await pool.close()
    }
    const { code, out } = await target.run(['verify', '--json'])
    assert.equal(code, 0, out)
  })
})
