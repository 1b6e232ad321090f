import type { CredentialStore, StoredCredentials } from '../../contracts/credentials.ts'
import { addValues, credentialSql, failedValues, replaceValues, usedValues } from '../../rules/credentials.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'

const sql = credentialSql((n) => `$${n}`)

export function createPostgresCredentials(pool: PostgresPool): CredentialStore {
  const isDone = async (text: string, values: readonly (string | number | Buffer)[]): Promise<boolean> =>
    (await pool.query(text, values.map(storableValue))).length === 1
  return {
    add: (draft) => isDone(sql.add, addValues(draft)),
    list: (owner) => pool.query<StoredCredentials>(sql.list, [storable(owner)]),
    find: async (id) => (await pool.query<StoredCredentials>(sql.find, [storable(id)]))[0] ?? null,
    replace: (owner, id, by) => isDone(sql.replace, replaceValues(owner, id, by)),
    async noteUsed(id, sign) {
      await isDone(sql.noteUsed, usedValues(id, sign))
    },
    async noteFailed(id, sign) {
      await isDone(sql.noteFailed, failedValues(id, sign))
    },
    remove: (owner, id) => isDone(sql.remove, [owner, id]),
  }
}

const storableValue = (value: string | number | Buffer): string | number | Buffer =>
  typeof value === 'string' ? storable(value) : value
