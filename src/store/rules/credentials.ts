import type { CredentialsChange, CredentialsDraft, SignIn } from '../contracts/credentials.ts'

const columns = [
  'id',
  'owner',
  'name',
  'kind',
  'hint',
  'sealed',
  'created_at',
  'changed_at',
  'used_at',
  'failed_since',
  'failure',
  'failures',
  'retry_at',
]

const shown = `id, owner, name, kind, hint, sealed, created_at AS "createdAt", changed_at AS "changedAt", used_at AS "usedAt",
  failed_since AS "failedSince", failure, failures, retry_at AS "retryAt"`

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** After this many doublings, an hour exceeds a day. */
const MAX_DOUBLINGS = 5

/** Statements of both engines; `p(n)` is the nth parameter. */
export function credentialSql(p: (n: number) => string) {
  const time = (n: number) => `CAST(${p(n)} AS bigint)`
  return {
    add: `INSERT INTO credentials (${columns.join(', ')}) VALUES (${columns.map((_, n) => p(n + 1)).join(', ')})
      ON CONFLICT DO NOTHING RETURNING id`,
    list: `SELECT ${shown} FROM credentials WHERE owner = ${p(1)} ORDER BY name`,
    find: `SELECT ${shown} FROM credentials WHERE id = ${p(1)}`,
    replace: `UPDATE credentials SET kind = ${p(3)}, hint = ${p(4)}, sealed = ${p(5)}, changed_at = ${p(6)}, failed_since = 0,
      failure = '', failures = 0, retry_at = 0 WHERE owner = ${p(1)} AND id = ${p(2)} RETURNING id`,
    noteUsed: `UPDATE credentials SET used_at = ${time(3)}, failed_since = 0, failure = '', failures = 0, retry_at = 0
      WHERE id = ${p(1)} AND changed_at = ${p(2)}`,
    // Several threads may have tried at the same time: that counts as one failure.
    noteFailed: `UPDATE credentials SET failed_since = CASE WHEN failed_since = 0 THEN ${time(3)} ELSE failed_since END,
      failure = ${p(4)}, failures = failures + 1,
      retry_at = ${time(3)} + CASE WHEN failures >= ${MAX_DOUBLINGS} THEN ${DAY_MS} ELSE ${HOUR_MS} * (1 << failures) END
      WHERE id = ${p(1)} AND changed_at = ${p(2)} AND retry_at <= ${time(3)}`,
    remove: `DELETE FROM credentials WHERE owner = ${p(1)} AND id = ${p(2)} RETURNING id`,
  }
}

type Value = string | number | Buffer

export function addValues(draft: CredentialsDraft): Value[] {
  const { id, owner, name, kind, hint, sealed, createdAt } = draft
  return [id, owner, name, kind, hint, sealed, createdAt, createdAt, 0, 0, '', 0, 0]
}

export function replaceValues(owner: string, id: string, by: CredentialsChange): Value[] {
  return [owner, id, by.kind, by.hint, by.sealed, by.changedAt]
}

export const usedValues = (id: string, { changedAt, at }: SignIn): Value[] => [id, changedAt, at]

export const failedValues = (id: string, { changedAt, at, reason }: SignIn & { reason: string }): Value[] => [
  ...usedValues(id, { changedAt, at }),
  reason,
]
