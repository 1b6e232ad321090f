import assert from 'node:assert/strict'
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import type { Protocol } from '../../crawl/fetch/protocol.ts'
import { type ProtocolWorld, testProtocol } from '../protocol-suite.testkit.ts'
import { bodyOf, lookAt } from './place.testkit.ts'
import { createSqlProtocol } from './sql-protocol.ts'

describe('SQLite files', () => {
  let folder = ''
  let protocol: Protocol
  let file = ''
  const url = (query: string, more = '', path = file): string =>
    `sqlite://${path}?query=${encodeURIComponent(query)}${more}`
  const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)'

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'erace-sqlite-'))
    mkdirSync(join(folder, 'root'))
    file = join(folder, 'root', 'shop 1.db')
    const db = new DatabaseSync(file)
    db.exec(`CREATE TABLE goods (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC, seen TEXT, picture BLOB);
      INSERT INTO goods VALUES (1, 'Lamp', 12.5, NULL, x'00ff'), (9007199254740993, 'Chair "x"', 40, '2026-01-02', NULL);
      CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('one lamp'), ('two chairs')`)
    db.close()
    protocol = createSqlProtocol({ roots: [join(folder, 'root')] })
    file = file.replace(' ', '%20')
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('rows are items with one cell per line, exact numbers, and blobs with their length', async () => {
    const list = await lookAt(protocol, url('SELECT * FROM goods ORDER BY id', '&key=id&title=name'))
    assert.deepEqual(
      list.items.map(({ url, name }) => [url.slice(url.indexOf('#')), name]),
      [
        ['#row=1', 'Lamp'],
        ['#row=9007199254740993', 'Chair "x"'],
      ],
    )
    assert.ok(list.items[0]!.url.startsWith(`sqlite://${file}?query=SELECT%20*%20FROM%20goods`))
    assert.equal(
      bodyOf(list),
      '{\n  "id": 1,\n  "name": "Lamp",\n  "price": 12.5,\n  "seen": null,\n  "picture": { "bytes": 2, "base64": "AP8=" }\n}\n',
    )
    assert.match(bodyOf(list, 1), /"id": 9007199254740993,\n {2}"name": "Chair \\"x\\"",\n {2}"price": 40,/)
    assert.deepEqual([list.isWhole, list.left, list.title], [true, '', 'shop 1.db'])
  })

  test('validators are stable, and a change affects only the validator of its row', async () => {
    const look = () => lookAt(protocol, url('SELECT id, name, price FROM goods ORDER BY id', '&key=id'))
    const [first, second] = [await look(), await look()]
    assert.deepEqual(second, first)
    const db = new DatabaseSync(decodeURI(file))
    db.exec('UPDATE goods SET price = 13 WHERE id = 1')
    const third = await look()
    db.exec('UPDATE goods SET price = 12.5 WHERE id = 1')
    db.close()
    assert.deepEqual(
      third.items.map(({ url, validator }, at) => [
        url === first.items[at]!.url,
        validator === first.items[at]!.validator,
      ]),
      [
        [true, false],
        [true, true],
      ],
    )
  })

  test('the result is one table if no key is given', async () => {
    const list = await lookAt(protocol, url("SELECT id, name, seen, '' AS note FROM goods ORDER BY id"))
    assert.equal(bodyOf(list), 'id,name,seen,note\r\n1,Lamp,,""\r\n9007199254740993,"Chair ""x""",2026-01-02,""\r\n')
    assert.equal(list.items.length, 1)
    assert.match(list.items[0]!.url, /#table$/)
  })

  test('functions, JSON and full-text search can be used', async () => {
    const list = await lookAt(
      protocol,
      url(
        "SELECT upper(text) AS t, (SELECT count(*) FROM json_each('[1,2]')) AS n FROM words WHERE words MATCH 'lamp'",
        '&key=t',
      ),
    )
    assert.equal(bodyOf(list), '{\n  "t": "ONE LAMP",\n  "n": 2\n}\n')
  })

  test('rows beyond the limit are left out, and this is reported', async () => {
    const list = await lookAt(protocol, url(`${endless} SELECT x FROM c`, '&key=x'), { limits: { maxItems: 50 } })
    assert.equal(list.items.length, 50)
    assert.deepEqual([list.isWhole, list.left], [false, 'only the first 50 rows were read'])
  })

  test('an endless query times out and leaves no process behind', async () => {
    const work = lookAt(protocol, url(`${endless} SELECT count(*) FROM c`), { limits: { stallTimeoutMs: 300 } })
    await assert.rejects(work, { code: 'query-timeout', message: 'the query took longer than 0.3 s' })
    assert.deepEqual(children(), [])
  })

  test('aborting a visit ends its query', async () => {
    const visit = new AbortController()
    const session = lookAt(protocol, url(`${endless} SELECT count(*) FROM c`), { signal: visit.signal })
    visit.abort()
    await assert.rejects(session, { code: 'query-timeout' })
    assert.deepEqual(children(), [])
  })

  test('the memory of a query is limited', async () => {
    await assert.rejects(lookAt(protocol, url('SELECT length(hex(zeroblob(200000000))) AS n')), {
      code: 'query-refused',
      message: /out of memory/,
    })
  })

  test('a large row is cut, and this is reported', async () => {
    const list = await lookAt(protocol, url("SELECT 1 AS id, printf('%.*c', 5000, 'x') AS t", '&key=id'), {
      limits: { maxBodyBytes: 1000 },
    })
    assert.deepEqual([list.items[0]!.body!.isCut, list.items[0]!.body!.body.length], [true, 1000])
    assert.equal(list.left, '1 row cut at 1000 bytes')
  })

  test('rows with the same key become one item, in any order, and this is reported', async () => {
    const look = (order: string) =>
      lookAt(
        protocol,
        url(`SELECT * FROM (VALUES (1, 'a'), (1, 'b'), (NULL, 'c')) ORDER BY column2 ${order}`, '&key=column1'),
      )
    const [up, down] = [await look('ASC'), await look('DESC')]
    assert.deepEqual(
      up.items.map(({ url }) => url.slice(url.indexOf('#'))),
      ['#row=1', '#row=!'],
    )
    assert.equal(up.left, '1 row with the key of another row: rows of one key are kept as one')
    assert.equal(bodyOf(up), bodyOf(down, 1))
  })

  test('a missing key column and invalid SQL are refused', async () => {
    await assert.rejects(lookAt(protocol, url('SELECT id, name FROM goods', '&key=nr')), {
      code: 'query-refused',
      message: 'the result has no column "nr"; it has id, name',
    })
    await assert.rejects(lookAt(protocol, url('SELECT absent FROM goods')), {
      code: 'query-refused',
      message: /no such column: absent/,
    })
  })

  test('statements that write are refused, and nothing is written', async () => {
    const before = readFileSync(decodeURI(file))
    for (const query of [
      "INSERT INTO goods VALUES (3, 'x', 1, NULL, NULL)",
      "ATTACH '/tmp/other.db' AS other",
      'PRAGMA journal_mode = WAL',
      "VACUUM INTO '/tmp/copy.db'",
      'SELECT 1; DELETE FROM goods',
      'WITH x AS (SELECT 1) DELETE FROM goods',
      'WITH x AS (SELECT 9) INSERT INTO goods (id) SELECT * FROM x',
      "SELECT load_extension('/tmp/x.so')",
      'SELECT 1 /* ; */ -- ;\n; DROP TABLE goods',
    ])
      await assert.rejects(async () => lookAt(protocol, url(query)), { code: 'query-refused' }, query)
    assert.deepEqual(readFileSync(decodeURI(file)), before)
  })

  test('files outside the roots are refused, also via .. and symbolic links', async () => {
    const outside = join(folder, 'outside.db')
    writeFileSync(outside, readFileSync(decodeURI(file)))
    symlinkSync(outside, join(folder, 'root', 'link.db'))
    symlinkSync(folder, join(folder, 'root', 'up'))
    linkSync(decodeURI(file), join(folder, 'root', 'same.db'))
    symlinkSync('same.db', join(folder, 'root', 'inside.db'))
    const at = (path: string) => async () => lookAt(protocol, url('SELECT count(*) AS n FROM goods', '', path))
    for (const path of [
      outside,
      join(folder, 'root', 'link.db'),
      `${folder}/root/up/outside.db`,
      `${folder}/root/../outside.db`,
      `${folder}/root/%2e%2e/outside.db`,
      `${folder}/root%2F..%2Foutside.db`,
      `${folder}/roots.db`,
      '/dev/zero',
    ])
      await assert.rejects(at(path), { code: 'url-invalid' }, path)
    assert.equal(bodyOf(await at(join(folder, 'root', 'inside.db'))()), 'n\r\n2\r\n')
    await assert.rejects(at(`${folder}/root/none.db`), { code: 'not-found' })
    await assert.rejects(at(`${folder}/root/up`), { code: 'url-invalid' })
    const nowhere = createSqlProtocol({ roots: [] })
    assert.throws(() => nowhere.normalise(url('SELECT 1')), { code: 'url-invalid' })
  })

  test('a file that is not a database fails with file-invalid', async () => {
    writeFileSync(join(folder, 'root', 'text.db'), 'not a database, but long enough to be looked at. '.repeat(100))
    await assert.rejects(lookAt(protocol, url('SELECT 1 FROM goods', '', join(folder, 'root', 'text.db'))), {
      code: 'file-invalid',
    })
  })

  let worlds = 0
  testProtocol(
    'SQL on SQLite',
    async (): Promise<ProtocolWorld> => {
      const path = join(folder, 'root', `world${++worlds}.db`)
      const db = new DatabaseSync(path)
      db.exec('CREATE TABLE texts (name TEXT PRIMARY KEY, text TEXT)')
      const at = (file: string): string => protocol.normalise(url('SELECT * FROM texts', '&key=name', file))
      return {
        protocol,
        url: at(path),
        missingUrl: at(`${path}.missing`),
        secret: null,
        put: async (name, text) => void db.prepare('INSERT INTO texts VALUES (?, ?)').run(name, text),
        change: async (name, text) => void db.prepare('UPDATE texts SET text = ? WHERE name = ?').run(text, name),
        remove: async (name) => void db.prepare('DELETE FROM texts WHERE name = ?').run(name),
        close: async () => db.close(),
      }
    },
    {
      lacks: {
        hosts: 'files are on this machine',
        counts: 'rows come with their list',
        credentials: 'the roots say what may be read',
        push: 'rows are asked for',
      },
    },
  )
})

/** Child processes that are still running. */
function children(): string[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)
}
