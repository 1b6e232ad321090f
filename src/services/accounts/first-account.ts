import { type Account, defaultAccountSettings } from '../../core/account.ts'
import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { AccountStore } from '../../store/accounts.ts'
import { cleanText } from './account-text.ts'
import type { Passwords } from './passwords.ts'

/** Makes the first account, an administrator's; null where there is one already. */
export type FirstAccount = (draft: { email: string; password: string; name: string }) => Promise<Account | null>

export type FirstAccountDeps = {
  accounts: Pick<AccountStore, 'add'>
  passwords: Passwords
  clock: Clock
  levelOf(email: string): ServiceLevel
  onChanged(): void
}

export function createFirstAccount({ accounts, passwords, clock, levelOf, onChanged }: FirstAccountDeps): FirstAccount {
  return async ({ email, password, name }) => {
    const account = await accounts.add(
      {
        email,
        name: cleanText(name),
        role: 'administrator',
        level: levelOf(email),
        disabled: false,
        createdAt: clock.now(),
        settings: defaultAccountSettings,
        passwordHash: await passwords.hash(password),
      },
      { onlyFirst: true },
    )
    onChanged()
    return account
  }
}
