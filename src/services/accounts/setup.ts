import { AppError } from '../../core/errors.ts'
import type { AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { SetupStore } from '../../store/contracts/accounts/setup.ts'
import { createSecret, hashOfSecret, isSecretOf } from './secrets.ts'
import type { Browser, SessionMaker, SignedIn } from './sign-in.ts'
import type { AccountMaker, UserDraft } from './users.ts'

/** Creates the first administrator of a fresh store, through a link that the program prints at startup. */
export type Setup = {
  isSetupNeeded(): Promise<boolean>
  /**
   * Returns a new key at each start, which invalidates the previous one. If several processes serve, all get the same key until
   * it is used. Null if there is an account.
   */
  prepareSetup(): Promise<string | null>
  /** Creates the administrator and signs them in. */
  setUp(form: Browser & { key: string; email: string; password: string; name?: string }): Promise<SignedIn>
  /** Creates an administrator only if there is no account at all. Returns whether it did. */
  ensureAdministrator(email: string, password: string): Promise<boolean>
}

export type SetupDeps = {
  accounts: Pick<AccountStore, 'count'>
  setup: SetupStore
  makeAccount: AccountMaker
  makeSession: SessionMaker
}

export function createSetup({ accounts, setup, makeAccount, makeSession }: SetupDeps): Setup {
  const isSetupNeeded = async (): Promise<boolean> => (await accounts.count()) === 0

  const makeFirst = (draft: UserDraft) => makeAccount({ ...draft, role: 'administrator' }, { onlyFirst: true })

  async function checkKey(key: string): Promise<void> {
    const hash = await setup.hash()
    if (hash === null || !isSecretOf(hash, key) || !(await isSetupNeeded()))
      throw new AppError('setup-key-wrong', 'this set-up link is outdated or was already used')
  }

  return {
    isSetupNeeded,
    async prepareSetup() {
      if (!(await isSetupNeeded())) {
        await setup.setHash(null)
        return null
      }
      const key = await setup.agree(createSecret())
      await setup.setHash(hashOfSecret(key))
      return key
    },
    async setUp({ key, email, password, name = '', ...browser }) {
      await checkKey(key)
      const account = await makeFirst({ email, password, name })
      // Another request used the link while the password was hashed.
      if (account === null) throw new AppError('setup-key-wrong', 'this set-up link was already used')
      await setup.setHash(null)
      const signedIn = await makeSession(account.id, browser)
      if (signedIn === null) throw new AppError('not-signed-in', 'this account no longer exists')
      return signedIn
    },
    async ensureAdministrator(email, password) {
      if (!(await isSetupNeeded())) return false
      return (await makeFirst({ email, password })) !== null
    },
  }
}
