import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { type ErrorCode, isAppError } from '../core/errors.ts'
import type { Place } from '../crawl/fetch/protocol.ts'

/** Fails with an AppError that has nothing of the credentials, neither in it nor behind it. */
export async function fails(
  { secret }: Pick<Place, 'secret'>,
  work: () => Promise<unknown>,
  code?: ErrorCode,
): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(isAppError(error), `not an AppError: ${inspect(error)}`)
    if (code !== undefined) assert.equal(error.code, code, error.message)
    const all = inspect(error, { depth: 10, showHidden: true })
    // Names of users and kinds of credentials are no secrets; short ones would be found anywhere.
    for (const [name, value] of Object.entries(secret ?? {}))
      if (name !== 'user' && name !== 'kind') assert.ok(!all.includes(value), `the ${name} is in an error`)
    return true
  })
}
