import { StatementSync } from 'node:sqlite'

/** SQLite's code for a full disk. */
const SQLITE_FULL = 13

/**
 * Makes one statement fail as on a full disk: the nth executed while `work` runs, including reads, of any store in the process.
 * Returns whether that statement was reached.
 */
export async function withFailingStatement(nth: number, work: () => Promise<void>): Promise<boolean> {
  const methods = ['run', 'get', 'all', 'iterate'] as const
  const originals = methods.map((name) => StatementSync.prototype[name])
  let executed = 0
  for (const [index, name] of methods.entries()) {
    const original = originals[index] as (...values: unknown[]) => unknown
    const counted = function (this: StatementSync, ...values: unknown[]): unknown {
      executed++
      if (executed === nth) throw Object.assign(new Error('database or disk is full'), { errcode: SQLITE_FULL })
      return original.apply(this, values)
    }
    Object.assign(StatementSync.prototype, { [name]: counted })
  }
  try {
    await work()
  } finally {
    for (const [index, name] of methods.entries()) {
      Object.assign(StatementSync.prototype, { [name]: originals[index] })
    }
  }
  return executed >= nth
}
