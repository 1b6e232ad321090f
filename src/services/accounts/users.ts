import { type Account, defaultAccountSettings, type Role } from '../../core/account.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { AccountChanges, AccountOutcome, AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { SessionStore } from '../../store/contracts/accounts/sessions.ts'
import type { ChannelStore } from '../../store/contracts/channels.ts'
import type { CredentialStore } from '../../store/contracts/credentials.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import { checkedEmail, checkedPassword, cleanText } from './account-text.ts'
import type { Passwords } from './passwords.ts'

/** The accounts, as administrators see them. */
export type Users = {
  list(page: { after: number; limit: number }): Promise<Account[]>
  find(id: number): Promise<Account | null>
  findByEmail(email: string): Promise<Account | null>
  add(draft: UserDraft): Promise<Account>
  /** Changing the password or disabling the account ends all its sessions. */
  change(id: number, changes: UserChanges): Promise<Account>
  /** Removes the account with its profiles, annotations, channels and credentials. */
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
  accounts: Pick<AccountStore, 'list' | 'find' | 'findByEmail' | 'update' | 'remove'>
  sessions: Pick<SessionStore, 'remove'>
  profiles: Pick<ProfileStore, 'list' | 'remove'>
  inbox: Pick<InboxStore, 'remove'>
  channels: Pick<ChannelStore, 'list' | 'remove'>
  credentials: Pick<CredentialStore, 'list' | 'remove'>
  passwords: Passwords
  makeAccount: AccountMaker
  /** Called before the next request is served: accounts or sessions changed. */
  onChanged(): void
}

/** Each batch is a transaction of its own, so that other writers do not wait for long. */
const PROFILES_AT_ONCE = 100
const ANNOTATIONS_AT_ONCE = 500

export function createUsers(deps: UsersDeps): Users {
  const { accounts, sessions, profiles, inbox, channels, credentials, passwords, makeAccount, onChanged } = deps

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
      if (password !== undefined || rest.disabled === true) await sessions.remove(id, 'all')
      onChanged()
      return account
    },
    async remove(id) {
      // Disable it first: the last administrator is refused before anything is removed, nothing new is added meanwhile, and after
      // an interruption the account still exists, so that the removal can be repeated.
      const { email } = accountOf(await accounts.update(id, { disabled: true }))
      onChanged()
      // Includes their secrets and waiting messages.
      for (const { id } of await channels.list(email)) await channels.remove(email, id)
      for (const { id } of await credentials.list(email)) await credentials.remove(email, id)
      const gone = { profiles: await removeProfiles(email), annotations: await removeAnnotations(email) }
      const account = accountOf(await accounts.remove(id))
      onChanged()
      // Annotations that were in progress when the profiles were removed.
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

/** Lets other work run. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Returns null if the address is taken or, with `onlyFirst`, if there is any account. */
export type AccountMaker = (draft: UserDraft, options?: { onlyFirst: boolean }) => Promise<Account | null>

export type UserDraft = { email: string; password: string; name?: string; role?: Role; level?: ServiceLevel }

export type AccountMakerDeps = {
  accounts: Pick<AccountStore, 'add'>
  passwords: Passwords
  clock: Clock
  /** Default level of a new account. */
  levelOf(email: string): ServiceLevel
  onChanged(): void
}

export function createAccountMaker({ accounts, passwords, clock, levelOf, onChanged }: AccountMakerDeps): AccountMaker {
  return async ({ email: given, password, name = '', role = 'user', level }, options) => {
    const email = checkedEmail(given)
    const draft = {
      email,
      name: cleanText(name),
      role,
      level: level ?? levelOf(email),
      disabled: false,
      createdAt: clock.now(),
      settings: defaultAccountSettings,
      passwordHash: await passwords.hash(checkedPassword(password)),
    }
    const account = await accounts.add(draft, options)
    onChanged()
    return account
  }
}

const PAGE = 1000

/** All accounts, ordered by id. */
export async function listAll({ list }: Pick<Users, 'list'>): Promise<Account[]> {
  const all: Account[] = []
  for (;;) {
    const page = await list({ after: all.at(-1)?.id ?? 0, limit: PAGE })
    all.push(...page)
    if (page.length < PAGE) return all
  }
}
