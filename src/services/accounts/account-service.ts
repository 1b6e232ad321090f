import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { AccountStore } from '../../store/contracts/accounts.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import { createAccountMaker } from './account-maker.ts'
import { createAttempts } from './attempts.ts'
import type { Callers } from './caller.ts'
import { createCallers } from './callers.ts'
import { createOwnAccount, type OwnAccount } from './own-account.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { createSetup, type Setup, type SharedKey } from './setup.ts'
import { createSessionMaker, createSignIn, type SignIn } from './sign-in.ts'
import { createUsers, type Users } from './users.ts'

/** Who may do what under which name: everything about accounts. `users` is for administrators alone. */
export type AccountService = Callers & SignIn & OwnAccount & Setup & { users: Users }

export type AccountServiceDeps = {
  stores: {
    accounts: AccountStore
    profiles: Pick<ProfileStore, 'list' | 'remove'>
    inbox: Pick<InboxStore, 'remove'>
  }
  clock: Clock
  sessionAgeMs: number
  /** What the settings say of users; an account that is made without a level gets this one. */
  levelOf(email: string): ServiceLevel
  onProblem(message: string, fields: Record<string, unknown>): void
  /** Where several processes serve from the same stores. */
  shared?: { setupKey: SharedKey }
  passwords?: Passwords
}

export function createAccountService(deps: AccountServiceDeps): AccountService {
  const { stores, clock, sessionAgeMs, levelOf, onProblem, shared, passwords = createPasswords() } = deps
  const { accounts } = stores
  const callers = createCallers({ accounts, clock, sessionAgeMs, isShared: shared !== undefined, onProblem })
  const attempts = createAttempts({ accounts, clock })
  const onChanged = callers.drop
  const makeSession = createSessionMaker({ accounts, callers, clock, sessionAgeMs })
  const makeAccount = createAccountMaker({ accounts, passwords, clock, levelOf, onChanged })
  return {
    ofSession: callers.ofSession,
    ofToken: callers.ofToken,
    ...createSignIn({ accounts, passwords, attempts, callers, clock, makeSession }),
    ...createOwnAccount({ accounts, passwords, attempts, callers, clock }),
    ...createSetup({ accounts, sharedKey: shared?.setupKey ?? null, makeAccount, makeSession }),
    users: createUsers({ ...stores, passwords, makeAccount, onChanged }),
  }
}
