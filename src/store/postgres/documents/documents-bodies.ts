import type { Original } from '../../rules/versioning.ts'
import type { CitusQuestion } from '../connection/citus-extension.ts'
import type { PostgresPool, Sender, Tx } from '../connection/pool.ts'
import { byPartition, bytesArray, numberArray, partitionOfId } from '../connection/row-batch.ts'
import { togetherStatements as allAtOnce, documentStatements as sql } from './documents-statements.ts'

/**
 * Where equal bodies are kept. The digest's partition differs from the document's. On one server, bodies of all partitions are looked up
 * by one statement, and registered in the transaction that writes their versions. If tables are distributed, each partition has its own
 * statements, and bodies are registered after the commit. Either way a row never names a version that doesn't exist yet; two processes
 * that store the same body at the same moment both store it, and later references use one of them.
 *
 * A process that is killed or disconnected in between leaves a body that isn't registered. It is registered when its page is recorded
 * again, or by the next holder of its partition, which checks the newest ones.
 */
export type KnownBodies = {
  /** By digest in hexadecimal. */
  originals: Map<string, Original>
  /** Versions named by rows that can't be referred to: collected, lost, or about to be removed. */
  stale: Set<number>
}

/**
 * Three bits of the digest's first byte choose its partition. With all eight, each body of a batch would be in a different partition and
 * need its own statement if tables are distributed; eight partitions are few enough to query and many enough to distribute.
 */
const DIGEST_BITS = 0b1110_0000

export function partitionOfDigest(digest: Uint8Array): number {
  return (digest[0] ?? 0) & DIGEST_BITS
}

export type BodyRow = { digest: Buffer; version: number }

export type BodyRegistry = {
  find(digests: readonly Buffer[]): Promise<KnownBodies>
  /** Registers as part of the transaction that writes the versions; not for distributed tables. */
  registerWithin(tx: Tx, rows: readonly BodyRow[]): void
  /** Registers once the versions are committed. Rows that name a stale version are taken over. */
  register(rows: readonly BodyRow[], stale: ReadonlySet<number>): Promise<void>
  /** Registers any of a partition's newest bodies that aren't registered. */
  registerNewest(partition: number): Promise<void>
}

/** More than a holder can have stored at the moment it went away. */
const NEWEST = 500

export function createBodyRegistry(pool: PostgresPool, isSpread: CitusQuestion): BodyRegistry {
  async function find(digests: readonly Buffer[]): Promise<KnownBodies> {
    const known: KnownBodies = { originals: new Map(), stale: new Set() }
    if (digests.length === 0) return known
    const rows = (await isSpread(pool)) ? await findInEach(digests) : await findTogether(digests)
    const alive = await findOriginals(
      pool,
      rows.map(({ version }) => version),
    )
    for (const { digest, version } of rows) {
      const original = alive.get(version)
      if (original === undefined) known.stale.add(version)
      else known.originals.set(digest.toString('hex'), original)
    }
    return known
  }

  function findTogether(digests: readonly Buffer[]): Promise<BodyRow[]> {
    return pool.query<BodyRow>(allAtOnce.bodies, [numberArray(digests.map(partitionOfDigest)), bytesArray(digests)])
  }

  async function findInEach(digests: readonly Buffer[]): Promise<BodyRow[]> {
    const groups = [...byPartition(digests, partitionOfDigest)]
    const found = await Promise.all(
      groups.map(([partition, group]) => pool.query<BodyRow>(sql.bodies, [partition, bytesArray(group)])),
    )
    return found.flat()
  }

  async function register(rows: readonly BodyRow[], stale: ReadonlySet<number>): Promise<void> {
    const groups = [...byPartition(inOrder(rows), ({ digest }) => partitionOfDigest(digest))]
    await Promise.all(
      groups.map(async ([partition, group]) => {
        const values = [partition, ...bodyArrays(group)]
        if (stale.size > 0) await pool.query(sql.takeBodies, [...values, [...stale]])
        await pool.query(sql.registerBodies, values)
      }),
    )
  }

  return {
    find,
    registerWithin(tx, rows) {
      const sorted = inOrder(rows)
      const partitions = numberArray(sorted.map(({ digest }) => partitionOfDigest(digest)))
      if (rows.length > 0) tx.send(allAtOnce.registerBodies, [partitions, ...bodyArrays(sorted)])
    },
    register,
    async registerNewest(partition) {
      const newest = await pool.query<BodyRow>(sql.newestBodies, [partition, NEWEST])
      const { originals, stale } = await find(newest.map(({ digest }) => digest))
      // The oldest of equal bodies wins.
      const missing = new Map<string, BodyRow>()
      for (const row of newest) {
        const name = row.digest.toString('hex')
        if (!originals.has(name)) missing.set(name, row)
      }
      if (missing.size > 0) await register([...missing.values()], stale)
    },
  }
}

/** The same order in all processes, to prevent deadlocks. */
const inOrder = (rows: readonly BodyRow[]): BodyRow[] => rows.toSorted((a, b) => Buffer.compare(a.digest, b.digest))

const bodyArrays = (rows: readonly BodyRow[]): [digests: string, versions: string] => [
  bytesArray(rows.map(({ digest }) => digest)),
  numberArray(rows.map(({ version }) => version)),
]

/** Returns those of the versions that can be referred to. */
export async function findOriginals(sender: Sender, versions: readonly number[]): Promise<Map<number, Original>> {
  const groups = [...byPartition(new Set(versions), partitionOfId)]
  const found = await Promise.all(
    groups.map(([partition, ids]) => sender.query<Original>(sql.originals, [partition, ids])),
  )
  return new Map(found.flat().map((original) => [original.version, original]))
}
