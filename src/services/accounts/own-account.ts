import { InvalidInputError } from '../../config/validation-errors.ts'
import type { Account, AccountSettings, NotificationSettings, TokenScope } from '../../core/account.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { AccountChanges, AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { SessionStore } from '../../store/contracts/accounts/sessions.ts'
import type { Token, TokenStore } from '../../store/contracts/accounts/tokens.ts'
import { readNotificationValues } from '../profiles/values/delivery-values.ts'
import { createPlainValues } from '../profiles/values/plain-values.ts'
import { checkedPassword, cleanText } from './account-text.ts'
import type { Attempts } from './attempts.ts'
import type { CachedCallers, Caller } from './callers.ts'
import type { Passwords } from './passwords.ts'
import { createSecret, hashOfSecret, TOKEN_PREFIX } from './secrets.ts'

/** Changes users make to their own account. */
export type OwnAccount = {
  changeOwn(caller: Caller, changes: OwnChanges): Promise<Account>
  /** Ends all other sessions. Tokens stay. */
  changePassword(caller: Caller, change: PasswordChange): Promise<PasswordOutcome>
  tokens(caller: Caller): Promise<Token[]>
  /** The only time the secret is given out. */
  addToken(caller: Caller, draft: OwnTokenDraft): Promise<{ token: Token; secret: string }>
  /** Returns false if the caller has no such token. */
  removeToken(caller: Caller, id: number): Promise<boolean>
}

export type OwnChanges = { name?: string; notifications?: Partial<NotificationSettings> } & Partial<
  Omit<AccountSettings, 'notifications'>
>

export type PasswordChange = { current: string; password: string; address: string }

export type PasswordOutcome = { kind: 'changed' } | { kind: 'wrong' } | { kind: 'wait'; seconds: number }

/** `expiresAt` 0: never. */
export type OwnTokenDraft = { name: string; scopes?: readonly TokenScope[]; expiresAt?: number }

const MAX_TOKENS = 500
const MAX_TOKEN_NAME = 100
const MAX_TIME_ZONE = 60

export type OwnAccountDeps = {
  accounts: Pick<AccountStore, 'find' | 'findByEmail' | 'update'>
  sessions: Pick<SessionStore, 'remove'>
  tokens: TokenStore
  passwords: Passwords
  attempts: Attempts
  callers: CachedCallers
  clock: Clock
}

export function createOwnAccount(deps: OwnAccountDeps): OwnAccount {
  const { accounts, sessions, tokens, passwords, attempts, callers, clock } = deps

  async function update(id: number, changes: AccountChanges): Promise<Account> {
    const outcome = await accounts.update(id, changes)
    callers.drop()
    if (outcome.kind !== 'done') throw new AppError('not-signed-in', 'this account no longer exists')
    return outcome.account
  }

  return {
    async changeOwn({ account: { id } }, { name, timeZone, shortcuts, theme, notifications }) {
      const account = await accounts.find(id)
      if (account === null) throw new AppError('not-signed-in', 'this account no longer exists')
      const settings: NonNullable<AccountChanges['settings']> = {
        ...(timeZone !== undefined && { timeZone: checkedTimeZone(timeZone) }),
        ...(shortcuts !== undefined && { shortcuts }),
        ...(theme !== undefined && { theme }),
        ...(notifications !== undefined && { notifications: checkedChanges(account, notifications) }),
      }
      return update(id, { settings, ...(name === undefined ? {} : { name: cleanText(name) }) })
    },
    async changePassword({ account, via, key }, { current, password, address }) {
      checkedPassword(password)
      const outcome = await attempts.guard({ email: account.email, address, device: `session ${key}` }, async () => {
        const found = await accounts.findByEmail(account.email)
        return (await passwords.verify(current, found?.passwordHash ?? null)).kind !== 'wrong'
      })
      if (outcome.kind !== 'right') return outcome
      await update(account.id, { passwordHash: await passwords.hash(password) })
      await sessions.remove(account.id, via === 'session' ? { except: key } : 'all')
      callers.drop()
      return { kind: 'changed' }
    },
    tokens: ({ account }) => tokens.list(account.id),
    async addToken({ account }, { name, scopes = ['read', 'write'], expiresAt = 0 }) {
      if (scopes.includes('admin') && account.role !== 'administrator')
        throw new AppError('forbidden', 'only administrators can create tokens with the scope admin')
      if (expiresAt !== 0 && !(expiresAt > clock.now()))
        throw new AppError('request-invalid', 'the expiry date is in the past')
      if ((await tokens.list(account.id)).length >= MAX_TOKENS)
        throw new AppError('request-invalid', `you have reached the limit of ${MAX_TOKENS} tokens; revoke some first`)
      const secret = createSecret(TOKEN_PREFIX)
      const token = await tokens.add({
        hash: hashOfSecret(secret),
        account: account.id,
        name: cleanText(name, MAX_TOKEN_NAME),
        scopes,
        createdAt: clock.now(),
        expiresAt,
      })
      return { token, secret }
    },
    async removeToken({ account }, id) {
      const removed = await tokens.remove(account.id, id)
      callers.drop()
      return removed
    },
  }
}

/** Keeps the given name: resolving would turn some zones into their former name. */
function checkedTimeZone(given: string): string {
  if (given === '') return ''
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: given.slice(0, MAX_TIME_ZONE) }).resolvedOptions()
    return timeZone.toLowerCase() === given.toLowerCase() ? timeZone : given
  } catch (cause) {
    throw new AppError('request-invalid', 'unknown time zone', { cause })
  }
}

/** Only what is given: concurrent changes of other settings must not be undone. */
function checkedChanges({ settings }: Account, given: Partial<NotificationSettings>): Partial<NotificationSettings> {
  const checked = checkedNotifications({ ...settings.notifications, ...given })
  return Object.fromEntries(Object.entries(checked).filter(([name]) => Object.hasOwn(given, name)))
}

function checkedNotifications(given: NotificationSettings): NotificationSettings {
  const values = createPlainValues()
  const notifications = readNotificationValues(given, values)
  if (values.errors.length > 0) throw new InvalidInputError('request-invalid', values.errors)
  return notifications
}
