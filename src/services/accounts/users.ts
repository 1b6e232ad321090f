import type { Account, Role } from '../../core/account.ts'
import { AppError } from '../../core/errors.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { AccountChanges, AccountOutcome, AccountStore } from '../../store/contracts/accounts.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { AccountMaker, UserDraft } from './account-maker.ts'
import { checkedPassword, cleanText } from './account-text.ts'
import type { Passwords } from './passwords.ts'

/** The accounts, as administrators see them. */
export type Users = {
  list(page: { after: number; limit: number }): Promise<Account[]>
  find(id: number): Promise<Account | null>
  findByEmail(email: string): Promise<Account | null>
  add(draft: UserDraft): Promise<Account>
  /** A new password, and being disabled, end all sessions of the account. */
  change(id: number, changes: UserChanges): Promise<Account>
  /** With the account go its profiles and annotations. */
  remove(id: number): Promise<Removed>
}

export type UserChanges = {
  name?: string
  role?: Role
  level?: ServiceLevel
  disabled?: boolean
  password?: string
}

export type Removed = { account: Account; profiles: number; annotations: number }

export type UsersDeps = {
  accounts: AccountStore
  profiles: Pick<ProfileStore, 'list' | 'remove'>
  inbox: Pick<InboxStore, 'remove'>
  passwords: Passwords
  makeAccount: AccountMaker
  /** Told before anybody else can ask: sessions or accounts are not what they were. */
  onChanged(): void
}

/** Each batch is a transaction of its own, so that nobody else waits for long. */
const PROFILES_AT_ONCE = 100
const ANNOTATIONS_AT_ONCE = 500

export function createUsers(deps: UsersDeps): Users {
  const { accounts, profiles, inbox, passwords, makeAccount, onChanged } = deps

  async function removeProfiles(owner: string): Promise<number> {
    let removed = 0
    for (;;) {
      const page = await profiles.list({ after: '', limit: PROFILES_AT_ONCE, owner })
      if (page.length === 0) return removed
      removed += await profiles.remove(page.map(({ id }) => id))
      await pause()
    }
  }

  async function removeAnnotations(owner: string): Promise<number> {
    let removed = 0
    for (;;) {
      const count = await inbox.remove(owner, { limit: ANNOTATIONS_AT_ONCE })
      if (count === 0) return removed
      removed += count
      await pause()
    }
  }

  return {
    list: accounts.list,
    find: accounts.find,
    async findByEmail(email) {
      const found = await accounts.findByEmail(email.trim())
      return found === null ? null : accounts.find(found.id)
    },
    async add(draft) {
      const account = await makeAccount(draft)
      if (account === null) throw new AppError('address-taken', 'an account with this email address already exists')
      return account
    },
    async change(id, { name, password, ...rest }) {
      const changes: AccountChanges = { ...rest }
      if (name !== undefined) changes.name = cleanText(name)
      if (password !== undefined) changes.passwordHash = await passwords.hash(checkedPassword(password))
      const account = accountOf(await accounts.update(id, changes))
      if (password !== undefined || rest.disabled === true) await accounts.removeSessions(id, 'all')
      onChanged()
      return account
    },
    async remove(id) {
      // Disabled first: whoever must stay is known before anything is gone, nothing new is made meanwhile, and after an
      // interruption the account is still there to be removed again.
      const { email } = accountOf(await accounts.update(id, { disabled: true }))
      onChanged()
      const gone = { profiles: await removeProfiles(email), annotations: await removeAnnotations(email) }
      const account = accountOf(await accounts.remove(id))
      onChanged()
      // What the annotation engine had in its hands when the profiles went.
      gone.annotations += await removeAnnotations(email)
      return { account, ...gone }
    },
  }
}

export function accountOf(outcome: AccountOutcome): Account {
  if (outcome.kind === 'done') return outcome.account
  if (outcome.kind === 'unknown') throw new AppError('not-found', 'no such account')
  throw new AppError('last-administrator', 'this is the last administrator; make someone else an administrator first')
}

/** Others come to their turn. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
