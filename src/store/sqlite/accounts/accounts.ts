import type { Account } from '../../../core/account.ts'
import type { AccountChanges, AccountDraft, AccountOutcome, AccountStore } from '../../contracts/accounts.ts'
import type { Database } from '../folder/database.ts'
import { accountColumns, accountOf, publicOf, type StoredAccount } from './account-rows.ts'
import { createSessions } from './sessions.ts'
import { createFailures } from './sign-in-failures.ts'
import { createTokens } from './tokens.ts'

/** Addresses are kept in small letters, so that one is the same however it is typed. */
export function createSqliteAccounts(db: Database): AccountStore {
  const sql = accountStatements(db)
  const stored = (id: number): StoredAccount | null => accountOf(sql.find.get(id))
  const changed = (): void => void sql.revise.run()

  /** Runs in a transaction. Somebody else who can sign in must be there to administer. */
  const isLast = (id: number): boolean => sql.otherAdministrator.get(id) === undefined

  function add(draft: AccountDraft, onlyFirst: boolean): Account | null {
    if (onlyFirst && sql.any.get() !== undefined) return null
    const { email, name, role, level, passwordHash, disabled, createdAt, settings } = draft
    const values = [email.toLowerCase(), name, role, level, passwordHash, disabled ? 1 : 0, createdAt]
    const { changes, lastInsertRowid } = sql.add.run(...values, JSON.stringify(settings))
    if (changes === 0) return null
    changed()
    return publicOf(stored(Number(lastInsertRowid))!)
  }

  function update(id: number, changes: AccountChanges): AccountOutcome {
    const before = stored(id)
    if (before === null) return { kind: 'unknown' }
    const after: StoredAccount = { ...before, ...changes, id, email: before.email }
    if (losesAdministrator(before, after) && isLast(id)) return { kind: 'last-administrator' }
    const { name, role, level, passwordHash, disabled, settings } = after
    sql.update.run(name, role, level, passwordHash, disabled ? 1 : 0, JSON.stringify(settings), id)
    if (disabled) sql.endSessions.run(id)
    changed()
    return { kind: 'done', account: publicOf(after) }
  }

  function remove(id: number): AccountOutcome {
    const before = stored(id)
    if (before === null) return { kind: 'unknown' }
    if (isAdministrator(before) && isLast(id)) return { kind: 'last-administrator' }
    sql.remove.run(id)
    sql.endSessions.run(id)
    sql.removeTokens.run(id)
    changed()
    return { kind: 'done', account: publicOf(before) }
  }

  return {
    ...createSessions(db),
    ...createTokens(db),
    ...createFailures(db),
    async revision() {
      return (db.read(() => sql.revision.get()) as { value: number } | undefined)?.value ?? 0
    },
    list: async ({ after, limit }) => db.read(() => sql.list.all(after, limit)).map((row) => publicOf(accountOf(row)!)),
    count: async () => (db.read(() => sql.count.get()) as { n: number }).n,
    async find(id) {
      const account = db.read(() => stored(id))
      return account === null ? null : publicOf(account)
    },
    findByEmail: async (email) => db.read(() => accountOf(sql.findByEmail.get(email.toLowerCase()))),
    add: async (draft, options) => db.write(() => add(draft, options?.onlyFirst === true)),
    update: async (id, changes) => db.write(() => update(id, changes)),
    remove: async (id) => db.write(() => remove(id)),
    async setupHash() {
      return (db.read(() => sql.setup.get()) as { value: Uint8Array } | undefined)?.value ?? null
    },
    async setSetupHash(hash) {
      db.write(() => (hash === null ? sql.forgetSetup.run() : sql.setSetup.run(hash)))
    },
  }
}

const isAdministrator = ({ role, disabled }: Account): boolean => role === 'administrator' && !disabled

function losesAdministrator(before: StoredAccount, after: StoredAccount): boolean {
  if (!isAdministrator(before)) return false
  return !isAdministrator(after) || (before.passwordHash !== '' && after.passwordHash === '')
}

function accountStatements(db: Database) {
  return {
    revision: db.prepare(`SELECT value FROM facts WHERE name = 'accounts'`),
    revise: db.prepare(
      `INSERT INTO facts (name, value) VALUES ('accounts', 1) ON CONFLICT DO UPDATE SET value = value + 1`,
    ),
    list: db.prepare(`SELECT ${accountColumns} FROM accounts WHERE id > ? ORDER BY id LIMIT ?`),
    count: db.prepare('SELECT count(*) AS n FROM accounts'),
    any: db.prepare('SELECT 1 FROM accounts LIMIT 1'),
    find: db.prepare(`SELECT ${accountColumns} FROM accounts WHERE id = ?`),
    findByEmail: db.prepare(`SELECT ${accountColumns} FROM accounts WHERE email = ?`),
    add: db.prepare(
      `INSERT INTO accounts (email, name, role, level, password, disabled, created_at, settings)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    update: db.prepare(
      'UPDATE accounts SET name = ?, role = ?, level = ?, password = ?, disabled = ?, settings = ? WHERE id = ?',
    ),
    remove: db.prepare('DELETE FROM accounts WHERE id = ?'),
    otherAdministrator: db.prepare(
      `SELECT 1 FROM accounts WHERE id <> ? AND role = 'administrator' AND disabled = 0 AND password <> '' LIMIT 1`,
    ),
    endSessions: db.prepare('DELETE FROM sessions WHERE account = ?'),
    removeTokens: db.prepare('DELETE FROM tokens WHERE account = ?'),
    setup: db.prepare(`SELECT value FROM facts WHERE name = 'setup'`),
    setSetup: db.prepare(`INSERT OR REPLACE INTO facts (name, value) VALUES ('setup', ?)`),
    forgetSetup: db.prepare(`DELETE FROM facts WHERE name = 'setup'`),
  }
}
