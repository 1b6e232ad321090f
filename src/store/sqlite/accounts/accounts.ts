import type { Account } from '../../../core/account.ts'
import type {
  AccountChanges,
  AccountDraft,
  AccountOutcome,
  AccountStore,
  StoredAccount,
} from '../../contracts/accounts/accounts.ts'
import {
  changedAccount,
  isAdministrator,
  losesAdministrator,
  storedSettings,
  withoutPassword,
} from '../../rules/accounts.ts'
import type { Database } from '../folder/database.ts'
import { createChannelClearing } from '../inbox/deliveries.ts'

/** E-mail addresses are stored in lower case, so that they are case-insensitive. */
export function createSqliteAccounts(db: Database): AccountStore {
  const sql = accountStatements(db)
  const clearing = createChannelClearing(db)
  const stored = (id: number): StoredAccount | null => readAccount(sql.find.get(id))
  const changed = (): void => void sql.revise.run()

  /** Runs in a transaction. */
  const isLast = (id: number): boolean => sql.otherAdministrator.get(id) === undefined

  function add(draft: AccountDraft, onlyFirst: boolean): Account | null {
    if (onlyFirst && sql.any.get() !== undefined) return null
    const { email, name, role, level, passwordHash, disabled, createdAt, settings } = draft
    const values = [email.toLowerCase(), name, role, level, passwordHash, disabled ? 1 : 0, createdAt]
    const { changes, lastInsertRowid } = sql.add.run(...values, JSON.stringify(settings))
    if (changes === 0) return null
    changed()
    return withoutPassword(stored(Number(lastInsertRowid))!)
  }

  function update(id: number, changes: AccountChanges): AccountOutcome {
    const before = stored(id)
    if (before === null) return { kind: 'unknown' }
    const after = changedAccount(before, changes)
    if (losesAdministrator(before, after) && isLast(id)) return { kind: 'last-administrator' }
    const { name, role, level, passwordHash, disabled, settings } = after
    sql.update.run(name, role, level, passwordHash, disabled ? 1 : 0, JSON.stringify(settings), id)
    if (disabled) sql.endSessions.run(id)
    changed()
    return { kind: 'done', account: withoutPassword(after) }
  }

  function remove(id: number): AccountOutcome {
    const before = stored(id)
    if (before === null) return { kind: 'unknown' }
    if (isAdministrator(before) && isLast(id)) return { kind: 'last-administrator' }
    sql.remove.run(id)
    sql.endSessions.run(id)
    sql.removeTokens.run(id)
    sql.removeUnmuted.run(before.email)
    sql.removeSplits.run(before.email)
    for (const { id: channel } of sql.channels.all(before.email) as { id: string }[]) clearing.remove(channel)
    sql.removeChannels.run(before.email)
    changed()
    return { kind: 'done', account: withoutPassword(before) }
  }

  return {
    async revision() {
      return (db.read(() => sql.revision.get()) as { value: number } | undefined)?.value ?? 0
    },
    list: async ({ after, limit }) =>
      db.read(() => sql.list.all(after, limit)).map((row) => withoutPassword(readAccount(row)!)),
    count: async () => (db.read(() => sql.count.get()) as { n: number }).n,
    async find(id) {
      const account = db.read(() => stored(id))
      return account === null ? null : withoutPassword(account)
    },
    findByEmail: async (email) => db.read(() => readAccount(sql.findByEmail.get(email.toLowerCase()))),
    add: async (draft, options) => db.write(() => add(draft, options?.onlyFirst === true)),
    update: async (id, changes) => db.write(() => update(id, changes)),
    remove: async (id) => db.write(() => remove(id)),
  }
}

function accountStatements(db: Database) {
  return {
    revision: db.prepare(`SELECT value FROM facts WHERE name = 'accounts'`),
    revise: db.prepare(
      `INSERT INTO facts (name, value) VALUES ('accounts', 1) ON CONFLICT DO UPDATE SET value = value + 1`,
    ),
    list: db.prepare(`SELECT ${storedColumns} FROM accounts WHERE id > ? ORDER BY id LIMIT ?`),
    count: db.prepare('SELECT count(*) AS n FROM accounts'),
    any: db.prepare('SELECT 1 FROM accounts LIMIT 1'),
    find: db.prepare(`SELECT ${storedColumns} FROM accounts WHERE id = ?`),
    findByEmail: db.prepare(`SELECT ${storedColumns} FROM accounts WHERE email = ?`),
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
    channels: db.prepare('SELECT id FROM channels WHERE owner = ?'),
    removeChannels: db.prepare('DELETE FROM channels WHERE owner = ?'),
    removeUnmuted: db.prepare('DELETE FROM unmuted WHERE owner = ?'),
    removeSplits: db.prepare('DELETE FROM story_splits WHERE owner = ?'),
  }
}

export const storedColumns =
  'id, email, name, role, level, password AS passwordHash, disabled, created_at AS createdAt, settings'

type AccountRow = Omit<StoredAccount, 'disabled' | 'settings'> & { disabled: 0 | 1; settings: string }

export function readAccount(row: unknown): StoredAccount | null {
  if (row === undefined) return null
  const { disabled, settings, ...plain } = row as AccountRow
  return { ...plain, disabled: disabled === 1, settings: storedSettings(settings) }
}

/** The account of a session or token; null if it may no longer be used. */
export function createBearers(db: Database): (account: number) => Account | null {
  const find = db.prepare(`SELECT ${storedColumns} FROM accounts WHERE id = ? AND disabled = 0`)
  return (account) => {
    const found = readAccount(find.get(account))
    return found === null ? null : withoutPassword(found)
  }
}
