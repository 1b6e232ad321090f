import type { Sender } from './pool.ts'

/**
 * Whether the database has the extension: its tables may be spread over servers. A statement that reads several of them reads each at a
 * moment of its own.
 */
export async function hasCitus(sender: Pick<Sender, 'query'>): Promise<boolean> {
  const [row] = await sender.query<{ has: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS has`,
  )
  return row!.has
}

export type CitusQuestion = (sender: Pick<Sender, 'query'>) => Promise<boolean>

/** The same, asked once. */
export function createCitusQuestion(): CitusQuestion {
  let answer: boolean | null = null
  return async (sender) => {
    answer ??= await hasCitus(sender)
    return answer
  }
}
