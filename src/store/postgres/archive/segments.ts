import { randomBytes } from 'node:crypto'
import type { BackendKind, CompressedSegment, Segment } from '../../contracts/object-backend.ts'
import type { Sender } from '../connection/pool.ts'

/** The rows of segments (contracts/object-backend.ts). There are few: one for each file, or for each thousand objects. */

/**
 * A writer confirms its segment at least this often while it appends, and rows that point into it are committed within `MAX_UNSAID_MS` or
 * not at all. A segment that nobody confirmed for longer than `ABANDONED` has no writer any more, or one that will find its segment closed.
 * What no row points at in a segment that has been closed for `SETTLED` is garbage.
 */
export const CONFIRM_EVERY_MS = 60_000
export const MAX_UNSAID_MS = 5 * 60_000
const ABANDONED = `interval '15 minutes'`
const SETTLED = `interval '15 minutes'`
/** How long one process has a segment for itself to compress it. */
const CLAIM = `interval '15 minutes'`

const columns = 'id, backend, name, state, places'

export const segmentStatements = {
  create: `INSERT INTO segments (backend, writer, name) VALUES ($1, $2, '') RETURNING id`,
  name: 'UPDATE segments SET name = $2 WHERE id = $1::bigint',
  confirm: `UPDATE segments SET seen_at = now(), bytes = $2::bigint WHERE id = $1::bigint AND state = 'open' RETURNING id`,
  close: `UPDATE segments SET state = 'closed', closed_at = now(), bytes = $2::bigint
    WHERE id = $1::bigint AND state = 'open'`,
  closeAbandoned: `UPDATE segments SET state = 'closed', closed_at = now()
    WHERE state = 'open' AND seen_at < now() - ${ABANDONED} RETURNING id`,
  find: `SELECT ${columns} FROM segments WHERE id = $1::bigint`,
  /** Also those whose plain form is still to be removed. */
  claim: `UPDATE segments SET claimed_until = now() + ${CLAIM} WHERE id = (
      SELECT id FROM segments WHERE backend = $1 AND (state = 'closed' OR state = 'compressed' AND claimed_until IS NOT NULL)
      AND (claimed_until IS NULL OR claimed_until < now())
      ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING ${columns}`,
  compressed: `UPDATE segments SET state = 'compressed', places = $2::bytea, bytes = $3::bigint, stored = $4::bigint
    WHERE id = $1::bigint AND state = 'closed' RETURNING id`,
  finished: 'UPDATE segments SET claimed_until = NULL WHERE id = $1::bigint',
  keep: `UPDATE segments SET state = 'kept', claimed_until = NULL WHERE id = $1::bigint AND state = 'closed'`,
  settled: `SELECT ${columns}, bytes FROM segments WHERE state <> 'open' AND backend = $1 AND closed_at < now() - ${SETTLED}
    AND id > $2::bigint ORDER BY id LIMIT $3`,
  remove: `DELETE FROM segments WHERE id = $1::bigint AND state <> 'open'`,
  ofOthers: 'SELECT id FROM segments WHERE backend <> $1',
  use: 'SELECT count(*) AS files, coalesce(sum(coalesce(stored, bytes)), 0)::bigint AS bytes FROM segments',
}

const sql = segmentStatements

/** `bytes`: of its records, as their places count them. */
export type MeasuredSegment = Segment & { bytes: number }

export type SegmentCatalogue = ReturnType<typeof createSegments>

export function createSegments(sender: Sender) {
  return {
    /** The row comes before the file: what a killed process leaves is found by it. */
    async create(backend: BackendKind, writer: string): Promise<{ id: number; name: string }> {
      const [row] = await sender.query<{ id: number }>(sql.create, [backend, writer])
      const { id } = row!
      const stamp = new Date().toISOString().replace(/[-:T]|\..*/g, '')
      const label = writer.replace(/[^\w.-]/g, '_').slice(0, 80)
      // Another database, or this one from a backup, may use the same folder and count the same way.
      const chance = randomBytes(4).toString('hex')
      const name = `erace-${stamp}-${label}-${String(id).padStart(6, '0')}-${chance}`
      await sender.query(sql.name, [id, name])
      return { id, name }
    },
    /** False where the segment was closed by others. */
    confirm: async (id: number, bytes: number): Promise<boolean> =>
      (await sender.query(sql.confirm, [id, bytes])).length > 0,
    async close(id: number, bytes: number): Promise<void> {
      await sender.query(sql.close, [id, bytes])
    },
    /** Closes segments of writers that are gone. */
    closeAbandoned: async (): Promise<number> => (await sender.query(sql.closeAbandoned)).length,
    find: async (id: number): Promise<Segment | null> => (await sender.query<Segment>(sql.find, [id]))[0] ?? null,
    /** A closed segment that nobody else compresses; null where there is none. */
    claim: async (backend: BackendKind): Promise<Segment | null> =>
      (await sender.query<Segment>(sql.claim, [backend]))[0] ?? null,
    /** False where others were faster. */
    compressed: async (id: number, { places, bytes, whole }: CompressedSegment): Promise<boolean> =>
      (await sender.query(sql.compressed, [id, places, whole, bytes])).length > 0,
    async finished(id: number): Promise<void> {
      await sender.query(sql.finished, [id])
    },
    async keep(id: number): Promise<void> {
      await sender.query(sql.keep, [id])
    },
    /** Closed for long enough that no row that points into them can still appear. */
    settled: (backend: BackendKind, after: number, limit: number): Promise<MeasuredSegment[]> =>
      sender.query<MeasuredSegment>(sql.settled, [backend, after, limit]),
    /** Those that aren't of this backend. */
    ofOthers: async (backend: BackendKind): Promise<number[]> =>
      (await sender.query<{ id: number }>(sql.ofOthers, [backend])).map(({ id }) => id),
    /** What lies outside of the database. */
    use: async (): Promise<{ files: number; bytes: number }> =>
      (await sender.query<{ files: number; bytes: number }>(sql.use))[0]!,
    async remove(id: number): Promise<void> {
      await sender.query(sql.remove, [id])
    },
  }
}
