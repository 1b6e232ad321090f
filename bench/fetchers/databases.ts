import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import mysql from 'mysql2/promise'
import pg from 'pg'
import type { Secret } from '../../src/crawl/fetch/protocol.ts'
import { mariadbSkip, startMariadb } from '../../src/fetchers/db/mariadb.testkit.ts'
import { createSqlProtocol } from '../../src/fetchers/db/sql-protocol.ts'
import { startPostgres } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'
import { type Arena, type Read, readAll } from './contest.ts'
import { rowOf, type SampleRow } from './samples.ts'

const query = 'SELECT id, name, price, seen, note FROM goods ORDER BY id'
const create =
  'CREATE TABLE goods (id integer PRIMARY KEY, name varchar(100), price double precision, seen timestamp, note text)'
const asked = `?query=${encodeURIComponent(query)}&key=id&title=name`
const atOnce = 500

const readOf = (rows: readonly unknown[]): Read => ({ items: rows.length, bytes: 0 })

/** Rows in batches. */
function* groups(rows: number): Generator<SampleRow[]> {
  for (let at = 0; at < rows; at += atOnce)
    yield Array.from({ length: Math.min(atOnce, rows - at) }, (_, n) => rowOf(at + n))
}

const insertOf = (rows: readonly SampleRow[]): string =>
  `INSERT INTO goods (id, name, price, seen, note) VALUES ${rows
    .map(({ id, name, price, seen, note }) => `(${id}, '${name}', ${price}, '${seen}', '${note}')`)
    .join(',')}`

function reader(url: string, rows: number, roots: readonly string[], secret: Secret | null): () => Promise<Read> {
  const protocol = createSqlProtocol({ roots })
  return () => readAll(protocol, url, { secret, limits: { maxItems: rows } })
}

export async function openPostgres(rows: number): Promise<Arena> {
  const server = await startPostgres()
  const { username: user, password, host, pathname } = new URL(server.address)
  async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: server.address })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  await withClient(async (client) => {
    await client.query(create)
    for (const group of groups(rows)) await client.query(insertOf(group))
  })
  return {
    contests: [
      {
        name: 'PostgreSQL rows',
        items: rows,
        ours: reader(`postgres://${host}${pathname}${asked}`, rows, [], { user, password }),
        plain: { 'pg, one query': () => withClient(async (client) => readOf((await client.query(query)).rows)) },
      },
    ],
    close: () => server.end(),
  }
}

export async function openMariadb(rows: number): Promise<Arena> {
  if (mariadbSkip !== false) return { missing: mariadbSkip }
  const server = await startMariadb()
  const [user, password] = ['reader', 'secret']
  await server.administer(
    ...['CREATE DATABASE shop', `CREATE USER ${user} IDENTIFIED BY '${password}'`, `GRANT SELECT ON shop.* TO ${user}`],
    ...['USE shop', create, ...[...groups(rows)].map(insertOf)],
  )
  async function queryPlainly(): Promise<Read> {
    const { port } = server
    const connection = await mysql.createConnection({ host: '127.0.0.1', port, user, password, database: 'shop' })
    const [found] = await connection.query(query)
    await connection.end()
    return readOf(found as unknown[])
  }
  return {
    contests: [
      {
        name: 'MariaDB rows',
        items: rows,
        ours: reader(`mysql://127.0.0.1:${server.port}/shop${asked}`, rows, [], { user, password }),
        plain: { 'mysql2, one query': queryPlainly },
      },
    ],
    close: () => server.end(),
  }
}

export async function openSqlite(folder: string, rows: number): Promise<Arena> {
  const file = join(folder, 'goods.db')
  const made = new DatabaseSync(file)
  made.exec(create)
  for (const group of groups(rows)) made.exec(insertOf(group))
  made.close()
  function queryPlainly(): Read {
    const db = new DatabaseSync(file, { readOnly: true })
    const read = readOf(db.prepare(query).all())
    db.close()
    return read
  }
  return {
    contests: [
      {
        name: 'SQLite rows',
        items: rows,
        ours: reader(`sqlite://${file}${asked}`, rows, [folder], null),
        plain: { 'node:sqlite, in this process': async () => queryPlainly() },
      },
    ],
    close: async () => {},
  }
}
