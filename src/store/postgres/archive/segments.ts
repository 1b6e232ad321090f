import { randomBytes } from 'node:crypto'
import type { BackendKind, CompressedSegment, Segment } from '../../contracts/object-backend.ts'
import type { Sender } from '../connection/pool.ts'

/** The rows of segments (contracts/object-backend.ts). There are few: one per file, or per thousand objects. */

/**
 * A writer confirms its segment at least this often while it appends, and rows that point into it are committed within `MAX_UNSAID_MS` or
 * not at all. A segment not confirmed for longer than `ABANDONED` has no writer any more, or one that will find its segment closed.
 * In a segment that has been closed for `SETTLED`, everything that no row points at is garbage.
 */
export const CONFIRM_EVERY_MS = 60_000
export const MAX_UNSAID_MS = 5 * 60_000
const ABANDONED = `interval '15 minutes'`
const SETTLED = `interval '15 minutes'`
/** How long a process may compress a segment exclusively. */
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
  /** Includes segments whose uncompressed form is still to be removed. */
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

/** `bytes`: size of its records as counted by their places, before the segment is compressed. */
export type MeasuredSegment = Segment & { bytes: number }

export type SegmentCatalogue = ReturnType<typeof createSegments>

export function createSegments(sender: Sender) {
  return {
    /** Inserts the row before the file is created: it leads to what a killed process leaves behind. */
    async create(backend: BackendKind, writer: string): Promise<{ id: number; name: string }> {
      const [row] = await sender.query<{ id: number }>(sql.create, [backend, writer])
      const { id } = row!
      const stamp = new Date().toISOString().replace(/[-:T]|\..*/g, '')
      const label = writer.replace(/[^\w.-]/g, '_').slice(0, 80)
      // Another database, or this one restored from a backup, may use the same folder and the same ids.
      const chance = randomBytes(4).toString('hex')
      const name = `erace-${stamp}-${label}-${String(id).padStart(6, '0')}-${chance}`
      await sender.query(sql.name, [id, name])
      return { id, name }
    },
    /** False if another process has closed the segment. */
    confirm: async (id: number, bytes: number): Promise<boolean> =>
      (await sender.query(sql.confirm, [id, bytes])).length > 0,
    async close(id: number, bytes: number): Promise<void> {
      await sender.query(sql.close, [id, bytes])
    },
    /** Closes segments of writers that are gone. */
    closeAbandoned: async (): Promise<number> => (await sender.query(sql.closeAbandoned)).length,
    find: async (id: number): Promise<Segment | null> => (await sender.query<Segment>(sql.find, [id]))[0] ?? null,
    /** Claims a closed segment that no other process is compressing; null if there is none. */
    claim: async (backend: BackendKind): Promise<Segment | null> =>
      (await sender.query<Segment>(sql.claim, [backend]))[0] ?? null,
    /** False if another process was faster. */
    compressed: async (id: number, { places, bytes, whole }: CompressedSegment): Promise<boolean> =>
      (await sender.query(sql.compressed, [id, places, whole, bytes])).length > 0,
    async finished(id: number): Promise<void> {
      await sender.query(sql.finished, [id])
    },
    async keep(id: number): Promise<void> {
      await sender.query(sql.keep, [id])
    },
    /** Segments closed for so long that no new row can still point into them. */
    settled: (backend: BackendKind, after: number, limit: number): Promise<MeasuredSegment[]> =>
      sender.query<MeasuredSegment>(sql.settled, [backend, after, limit]),
    /** Segments of other backends. */
    ofOthers: async (backend: BackendKind): Promise<number[]> =>
      (await sender.query<{ id: number }>(sql.ofOthers, [backend])).map(({ id }) => id),
    /** Number of segments, and the bytes they take outside of the database. */
    use: async (): Promise<{ files: number; bytes: number }> =>
      (await sender.query<{ files: number; bytes: number }>(sql.use))[0]!,
    async remove(id: number): Promise<void> {
      await sender.query(sql.remove, [id])
    },
  }
}
