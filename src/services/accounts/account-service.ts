import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { ServerSecretStore } from '../../store/contracts/accounts/server-secrets.ts'
import type { SessionStore } from '../../store/contracts/accounts/sessions.ts'
import type { SetupStore } from '../../store/contracts/accounts/setup.ts'
import type { SignInFailureStore } from '../../store/contracts/accounts/sign-in-failures.ts'
import type { TokenStore } from '../../store/contracts/accounts/tokens.ts'
import type { ChannelStore } from '../../store/contracts/channels.ts'
import type { CredentialStore } from '../../store/contracts/credentials.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import { createAttempts } from './attempts.ts'
import { type Callers, createCallers } from './callers.ts'
import { createDevices } from './devices.ts'
import { createOwnAccount, type OwnAccount } from './own-account.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { createSetup, type Setup } from './setup.ts'
import { createSessionMaker, createSignIn, type SignIn } from './sign-in.ts'
import { createAccountMaker, createUsers, type Users } from './users.ts'

/** Accounts: sign-in, sessions, tokens and set-up. `users` is for administrators only. */
export type AccountService = Callers & SignIn & OwnAccount & Setup & { users: Users }

export type AccountServiceDeps = {
  stores: {
    accounts: AccountStore
    sessions: SessionStore
    tokens: TokenStore
    signInFailures: SignInFailureStore
    setup: SetupStore
    serverSecrets: ServerSecretStore
    profiles: Pick<ProfileStore, 'list' | 'remove'>
    inbox: Pick<InboxStore, 'remove'>
    channels: Pick<ChannelStore, 'list' | 'remove'>
    credentials: Pick<CredentialStore, 'list' | 'remove'>
  }
  clock: Clock
  sessionAgeMs: number
  /** Default level of a new account, from the settings. */
  levelOf(email: string): ServiceLevel
  onProblem(message: string, fields: Record<string, unknown>): void
  /** Several processes serve from the same stores. */
  isShared?: boolean
  passwords?: Passwords
}

export function createAccountService(deps: AccountServiceDeps): AccountService {
  const { stores, clock, sessionAgeMs, levelOf, onProblem, isShared = false, passwords = createPasswords() } = deps
  const { accounts, sessions, tokens, signInFailures, setup, serverSecrets } = stores
  const callers = createCallers({ accounts, sessions, tokens, clock, sessionAgeMs, isShared, onProblem })
  const attempts = createAttempts({ failures: signInFailures, clock })
  const devices = createDevices(serverSecrets)
  const onChanged = callers.drop
  const makeSession = createSessionMaker({ sessions, callers, clock, sessionAgeMs })
  const makeAccount = createAccountMaker({ accounts, passwords, clock, levelOf, onChanged })
  return {
    ofSession: callers.ofSession,
    ofToken: callers.ofToken,
    ...createSignIn({
      accounts,
      sessions,
      failures: signInFailures,
      passwords,
      attempts,
      devices,
      callers,
      clock,
      makeSession,
    }),
    ...createOwnAccount({ accounts, sessions, tokens, passwords, attempts, callers, clock }),
    ...createSetup({ accounts, setup, makeAccount, makeSession }),
    users: createUsers({ ...stores, passwords, makeAccount, onChanged }),
  }
}
