import type { CredentialStore, StoredCredentials } from '../../contracts/credentials.ts'
import { addValues, credentialSql, failedValues, replaceValues, usedValues } from '../../rules/credentials.ts'
import type { Database } from '../folder/database.ts'

type Row = Omit<StoredCredentials, 'sealed'> & { sealed: Uint8Array }

const credentialsOf = (row: Row): StoredCredentials => ({ ...row, sealed: Buffer.from(row.sealed) })

export function createSqliteCredentials(db: Database): CredentialStore {
  const texts = credentialSql((n) => `?${n}`)
  const sql = {
    add: db.prepare(texts.add),
    list: db.prepare(texts.list),
    find: db.prepare(texts.find),
    replace: db.prepare(texts.replace),
    noteUsed: db.prepare(texts.noteUsed),
    noteFailed: db.prepare(texts.noteFailed),
    remove: db.prepare(texts.remove),
  }
  return {
    add: async (draft) => db.write(() => sql.add.get(...addValues(draft)) !== undefined),
    list: async (owner) => (db.read(() => sql.list.all(owner)) as Row[]).map(credentialsOf),
    async find(id) {
      const row = db.read(() => sql.find.get(id)) as Row | undefined
      return row === undefined ? null : credentialsOf(row)
    },
    replace: async (owner, id, by) => db.write(() => sql.replace.get(...replaceValues(owner, id, by)) !== undefined),
    async noteUsed(id, sign) {
      db.write(() => sql.noteUsed.run(...usedValues(id, sign)))
    },
    async noteFailed(id, sign) {
      db.write(() => sql.noteFailed.run(...failedValues(id, sign)))
    },
    remove: async (owner, id) => db.write(() => sql.remove.get(owner, id) !== undefined),
  }
}
