import { type Account, defaultAccountSettings, type Role } from '../../core/account.ts'
import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { AccountStore } from '../../store/contracts/accounts.ts'
import { checkedEmail, checkedPassword, cleanText } from './account-text.ts'
import type { Passwords } from './passwords.ts'

/** Null where the address is taken, or with `onlyFirst` where there is any account. */
export type AccountMaker = (draft: UserDraft, options?: { onlyFirst: boolean }) => Promise<Account | null>

export type UserDraft = { email: string; password: string; name?: string; role?: Role; level?: ServiceLevel }

export type AccountMakerDeps = {
  accounts: Pick<AccountStore, 'add'>
  passwords: Passwords
  clock: Clock
  /** Of who gets no level with the account. */
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
