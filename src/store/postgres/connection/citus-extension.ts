import type { Sender } from './pool.ts'

/**
 * Whether the database has the Citus extension: its tables may be distributed over servers. A statement that reads several of them has no
 * common snapshot.
 */
export async function hasCitus(sender: Pick<Sender, 'query'>): Promise<boolean> {
  const [row] = await sender.query<{ has: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS has`,
  )
  return row!.has
}

export type CitusQuestion = (sender: Pick<Sender, 'query'>) => Promise<boolean>

/** `hasCitus`, asked once and cached. */
export function createCitusQuestion(): CitusQuestion {
  let answer: boolean | null = null
  return async (sender) => {
    answer ??= await hasCitus(sender)
    return answer
  }
}
