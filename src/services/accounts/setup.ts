import { AppError } from '../../core/errors.ts'
import type { AccountStore } from '../../store/accounts.ts'
import type { AccountMaker, UserDraft } from './account-maker.ts'
import { createSecret, hashOfSecret, isSecretOf } from './secrets.ts'
import type { Seat, SessionMaker, SignedIn } from './sign-in.ts'

/** The way from a fresh data folder to its first administrator, by a link that is told to whoever started the program. */
export type Setup = {
  isSetupNeeded(): Promise<boolean>
  /** A new key at each start; the one before is void. Null where there is an account. */
  prepareSetup(): Promise<string | null>
  /** Makes the administrator and signs them in. */
  setUp(form: Seat & { key: string; email: string; password: string; name?: string }): Promise<SignedIn>
  /** Only where there is no account at all; true where it made one. */
  ensureAdministrator(email: string, password: string): Promise<boolean>
}

export type SetupDeps = {
  accounts: Pick<AccountStore, 'count' | 'setupHash' | 'setSetupHash'>
  makeAccount: AccountMaker
  makeSession: SessionMaker
}

export function createSetup({ accounts, makeAccount, makeSession }: SetupDeps): Setup {
  const isSetupNeeded = async (): Promise<boolean> => (await accounts.count()) === 0

  const makeFirst = (draft: UserDraft) => makeAccount({ ...draft, role: 'administrator' }, { onlyFirst: true })

  async function checkKey(key: string): Promise<void> {
    const hash = await accounts.setupHash()
    if (hash === null || !isSecretOf(hash, key) || !(await isSetupNeeded()))
      throw new AppError('setup-key-wrong', 'the link is of an earlier start, or was used already')
  }

  return {
    isSetupNeeded,
    async prepareSetup() {
      if (!(await isSetupNeeded())) {
        await accounts.setSetupHash(null)
        return null
      }
      const key = createSecret()
      await accounts.setSetupHash(hashOfSecret(key))
      return key
    },
    async setUp({ key, email, password, name = '', ...seat }) {
      await checkKey(key)
      const account = await makeFirst({ email, password, name })
      // Somebody else was quicker while the password was hashed.
      if (account === null) throw new AppError('setup-key-wrong', 'the link was used already')
      await accounts.setSetupHash(null)
      const signedIn = await makeSession(account.id, seat)
      if (signedIn === null) throw new AppError('not-signed-in', 'the account is not there any more')
      return signedIn
    },
    async ensureAdministrator(email, password) {
      if (!(await isSetupNeeded())) return false
      return (await makeFirst({ email, password })) !== null
    },
  }
}
