import type { Original } from '../../rules/versioning.ts'
import type { Sender } from '../connection/pool.ts'
import { byPartition, partitionOfId } from '../connection/row-batch.ts'
import { documentStatements as sql } from './documents-statements.ts'

/**
 * Where equal bodies are kept. A body is looked for before its version is written and registered after that is committed, each in a
 * statement of its own: the digest's partition is another one than the document's. So a row never stands for a version that is not
 * there yet; two who store the same body at the same moment both store it, and one of them is referred to later.
 *
 * Who is cut off or killed in between leaves a body that is not registered. It is registered when its page is recorded again, and by the
 * next holder of its partition, who looks at the newest ones.
 */
export type KnownBodies = {
  /** By digest in hexadecimal. */
  originals: Map<string, Original>
  /** Versions that rows name and that can't be referred to: collected, lost, about to go. */
  stale: Set<number>
}

/**
 * Of the digest's first byte three bits count. With all eight, each body of a batch would be in a partition of its own and
 * need a statement of its own; eight partitions are few enough to be asked and many enough to be spread.
 */
const DIGEST_BITS = 0b1110_0000

export function partitionOfDigest(digest: Uint8Array): number {
  return (digest[0] ?? 0) & DIGEST_BITS
}

export async function findBodies(sender: Sender, digests: readonly Buffer[]): Promise<KnownBodies> {
  const known: KnownBodies = { originals: new Map(), stale: new Set() }
  if (digests.length === 0) return known
  const groups = [...byPartition(new Set(digests), partitionOfDigest)]
  const found = await Promise.all(
    groups.map(([partition, group]) =>
      sender.query<{ digest: Buffer; version: number }>(sql.bodies, [partition, group]),
    ),
  )
  const rows = found.flat()
  const alive = await findOriginals(
    sender,
    rows.map(({ version }) => version),
  )
  for (const { digest, version } of rows) {
    const original = alive.get(version)
    if (original === undefined) known.stale.add(version)
    else known.originals.set(digest.toString('hex'), original)
  }
  return known
}

/** Those of the versions that can be referred to. */
export async function findOriginals(sender: Sender, versions: readonly number[]): Promise<Map<number, Original>> {
  const groups = [...byPartition(new Set(versions), partitionOfId)]
  const found = await Promise.all(
    groups.map(([partition, ids]) => sender.query<Original>(sql.originals, [partition, ids])),
  )
  return new Map(found.flat().map((original) => [original.version, original]))
}

export type BodyRow = { digest: Buffer; version: number }

export async function registerBodies(
  sender: Sender,
  rows: readonly BodyRow[],
  stale: ReadonlySet<number>,
): Promise<void> {
  // In one order for all, so that there is no deadlock.
  const sorted = rows.toSorted((a, b) => Buffer.compare(a.digest, b.digest))
  const groups = [...byPartition(sorted, ({ digest }) => partitionOfDigest(digest))]
  await Promise.all(
    groups.map(async ([partition, group]) => {
      const values = [partition, group.map(({ digest }) => digest), group.map(({ version }) => version)]
      if (stale.size > 0) await sender.query(sql.takeBodies, [...values, [...stale]])
      await sender.query(sql.registerBodies, values)
    }),
  )
}

/** More than one holder may have stored at the moment it went away. */
const NEWEST = 500

/** Registers those of a partition's newest bodies that are not. */
export async function registerNewest(sender: Sender, partition: number): Promise<void> {
  const newest = await sender.query<BodyRow>(sql.newestBodies, [partition, NEWEST])
  const { originals, stale } = await findBodies(
    sender,
    newest.map(({ digest }) => digest),
  )
  // The oldest of equal ones.
  const missing = new Map<string, BodyRow>()
  for (const row of newest) {
    const name = row.digest.toString('hex')
    if (!originals.has(name)) missing.set(name, row)
  }
  if (missing.size > 0) await registerBodies(sender, [...missing.values()], stale)
}
