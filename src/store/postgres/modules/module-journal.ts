import { AppError } from '../../../core/errors.ts'
import type { JournalPage, ModuleCheckpoint, ModuleJournal } from '../../contracts/module-journal.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { type SessionLock, trySessionLock } from '../connection/session-lock.ts'

/** Advisory lock of place 0; the other places use the numbers after it. */
const FIRST_LOCK = 7_352_100_000
const MAX_PLACES = 10_000

/**
 * Each process holds a place of its own through a lock that ends with its connection. If only the connection breaks, another process may
 * take the place: the epoch then keeps the first one from writing.
 */
export function createPostgresModuleJournal(pool: PostgresPool): ModuleJournal {
  let held: { lock: SessionLock; place: number; epoch: number; run: number } | null = null

  async function takePlace(run: number): Promise<NonNullable<typeof held>> {
    for (let place = 0; place < MAX_PLACES; place++) {
      const lock = await trySessionLock(pool, FIRST_LOCK + place)
      if (lock === null) continue
      const [row] = await pool.query<{ epoch: number }>(
        `INSERT INTO module_places (place, epoch) VALUES ($1, 1)
         ON CONFLICT (place) DO UPDATE SET epoch = module_places.epoch + 1 RETURNING epoch`,
        [place],
      )
      return { lock, place, epoch: Number(row!.epoch), run }
    }
    throw new AppError('store-busy', 'too many processes with modules share this store')
  }

  function write(work: (tx: Tx, place: number, run: number) => Promise<void>): Promise<void> {
    const { place, epoch, run } = held!
    return pool.transaction(async (tx) => {
      const rows = await tx.query('SELECT 1 FROM module_places WHERE place = $1 AND epoch = $2 FOR SHARE', [
        place,
        epoch,
      ])
      if (rows.length === 0)
        throw new AppError('lease-lost', 'another process has taken over the place of these modules')
      await work(tx, place, run)
    })
  }

  return {
    async open(run) {
      await held?.lock.release()
      held = await takePlace(run)
      const { place } = held
      if (run > 0)
        await write(async (tx) => {
          for (const table of ['module_pages', 'module_checkpoints'])
            await tx.query(`DELETE FROM ${table} WHERE place = $1 AND run NOT IN (0, $2)`, [place, run])
        })
      const of = 'WHERE place = $1 AND run = $2'
      const pages = await pool.query<JournalPage>(`SELECT seq, answer, body FROM module_pages ${of} ORDER BY seq`, [
        place,
        run,
      ])
      const checkpoints = await pool.query<ModuleCheckpoint>(
        `SELECT module, seq, report, state FROM module_checkpoints ${of} ORDER BY module`,
        [place, run],
      )
      return {
        pages: pages.map((page) => ({ ...page, seq: Number(page.seq) })),
        checkpoints: checkpoints.map((each) => ({ ...each, seq: Number(each.seq) })),
      }
    },
    append: (pages) =>
      write(async (tx, place, run) => {
        await tx.query(
          `INSERT INTO module_pages (place, run, seq, answer, body)
           SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::bytea[]) ON CONFLICT DO NOTHING`,
          [
            ...[place, run, pages.map(({ seq }) => seq), pages.map(({ answer }) => storable(answer))],
            pages.map(({ body }) => (body === null ? null : Buffer.from(body))),
          ],
        )
      }),
    save: ({ module, seq, report, state }, dropTo) =>
      write(async (tx, place, run) => {
        await tx.query(
          `INSERT INTO module_checkpoints (place, run, module, seq, report, state) VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (place, run, module) DO UPDATE SET seq = excluded.seq, report = excluded.report, state = excluded.state`,
          [place, run, module, seq, storable(report), state === null ? null : Buffer.from(state)],
        )
        await tx.query('DELETE FROM module_pages WHERE place = $1 AND run = $2 AND seq <= $3', [place, run, dropTo])
      }),
    drop: (dropTo) =>
      write(async (tx, place, run) => {
        await tx.query('DELETE FROM module_pages WHERE place = $1 AND run = $2 AND seq <= $3', [place, run, dropTo])
      }),
    clear: () =>
      write(async (tx, place, run) => {
        for (const table of ['module_pages', 'module_checkpoints'])
          await tx.query(`DELETE FROM ${table} WHERE place = $1 AND run = $2`, [place, run])
      }),
    async close() {
      await held?.lock.release()
      held = null
    },
  }
}
