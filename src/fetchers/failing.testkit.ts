import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { type ErrorCode, isAppError } from '../core/errors.ts'
import type { Place } from '../crawl/fetch/protocol.ts'

/** Asserts that work fails with an AppError that reveals no credentials, neither itself nor in its causes. */
export async function fails(
  { secret }: Pick<Place, 'secret'>,
  work: () => Promise<unknown>,
  code?: ErrorCode,
): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(isAppError(error), `not an AppError: ${inspect(error)}`)
    if (code !== undefined) assert.equal(error.code, code, error.message)
    const all = inspect(error, { depth: 10, showHidden: true })
    // User names and kinds of credentials are not secret, and short ones would match anywhere.
    for (const [name, value] of Object.entries(secret ?? {}))
      if (name !== 'user' && name !== 'kind') assert.ok(!all.includes(value), `the ${name} is in an error`)
    return true
  })
}
