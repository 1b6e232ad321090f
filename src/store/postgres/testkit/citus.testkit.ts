import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openPool } from '../connection/pool.ts'
import { distribute } from '../schema/citus.ts'
import { migrate } from '../schema/migrate.ts'
import { administer, databaseAddress } from './postgres-server.testkit.ts'

/**
 * Databases on a real Citus cluster, whose coordinator is given by `ERACE_TEST_CITUS`. A database exists on each server under the same
 * name; so does a clone: a template's metadata about servers and shards is valid for its copies.
 */
const SHARDS = 2

/** The same address on each server, coordinator first. */
async function serversOf(coordinator: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: coordinator })
  await client.connect()
  try {
    const { rows } = await client.query<{ host: string; port: number }>(
      `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid > 0 AND isactive ORDER BY nodeid`,
    )
    return [coordinator, ...rows.map(({ host, port }) => onServer(coordinator, host, port))]
  } finally {
    await client.end()
  }
}

function onServer(address: string, host: string, port: number): string {
  const url = new URL(address)
  url.hostname = host
  url.port = `${port}`
  return url.href
}

async function onAll(coordinator: string, sql: string): Promise<void> {
  await Promise.all((await serversOf(coordinator)).map((server) => administer(server, sql)))
}

/** Creates a database that knows its servers and has no tables; resolves to its address. */
export async function createCitusDatabase(coordinator: string, name: string): Promise<string> {
  const servers = await serversOf(coordinator)
  const addresses = servers.map((server) => databaseAddress(server, name))
  await Promise.all(servers.map((server) => administer(server, `CREATE DATABASE ${name}`)))
  await Promise.all(addresses.map((address) => administer(address, 'CREATE EXTENSION citus')))
  const [own, ...others] = addresses
  const { hostname, port } = new URL(own!)
  await administer(own!, `SELECT citus_set_coordinator_host('${hostname}', ${port})`)
  for (const other of others) {
    const { hostname: host, port: at } = new URL(other)
    await administer(own!, `SELECT citus_add_node('${host}', ${at})`)
  }
  return own!
}

/** A database with the schema, its tables distributed. It accepts no connections, so that it can be cloned. */
export async function createCitusTemplate(coordinator: string): Promise<string> {
  const name = `erace_template_${randomBytes(6).toString('hex')}`
  const address = await createCitusDatabase(coordinator, name)
  await administer(address, `ALTER DATABASE ${name} SET citus.shard_count = ${SHARDS}`)
  const pool = openPool({ address, maxConnections: 2, name: 'template' })
  await migrate(pool)
  await distribute(pool)
  await pool.close()
  // Citus keeps a connection open to each database that was ever used.
  await onAll(
    coordinator,
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false;
     SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
  )
  return name
}

export async function cloneCitusDatabase(coordinator: string, template: string, name: string): Promise<void> {
  await onAll(coordinator, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
}

/** SQLSTATE while a connection that Citus has just opened by itself still exists. */
const IN_USE = '55006'
const MAX_TRIES = 5

export async function dropCitusDatabase(coordinator: string, name: string): Promise<void> {
  await onAll(coordinator, `UPDATE pg_database SET datallowconn = false WHERE datname = '${name}'`)
  for (let tries = 1; ; tries++)
    try {
      return await onAll(coordinator, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    } catch (error) {
      if ((error as { code?: string }).code !== IN_USE || tries === MAX_TRIES) throw error
    }
}
