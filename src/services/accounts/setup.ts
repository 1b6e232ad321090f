import { AppError } from '../../core/errors.ts'
import type { AccountStore } from '../../store/contracts/accounts.ts'
import type { AccountMaker, UserDraft } from './account-maker.ts'
import { createSecret, hashOfSecret, isSecretOf } from './secrets.ts'
import type { Seat, SessionMaker, SignedIn } from './sign-in.ts'

/** The way from a fresh data folder to its first administrator, by a link that is told to whoever started the program. */
export type Setup = {
  isSetupNeeded(): Promise<boolean>
  /**
   * A new key at each start; the one before is void. Where several processes serve it is the same for all of them, until it is
   * used. Null where there is an account.
   */
  prepareSetup(): Promise<string | null>
  /** Makes the administrator and signs them in. */
  setUp(form: Seat & { key: string; email: string; password: string; name?: string }): Promise<SignedIn>
  /** Only where there is no account at all; true where it made one. */
  ensureAdministrator(email: string, password: string): Promise<boolean>
}

/** Where several processes serve: one key, whichever of them is started first and asked later. */
export type SharedKey = {
  /** The key that holds: this one, unless there is one already. */
  agree(fresh: string): Promise<string>
  forget(): Promise<void>
}

export type SetupDeps = {
  accounts: Pick<AccountStore, 'count' | 'setupHash' | 'setSetupHash'>
  sharedKey: SharedKey | null
  makeAccount: AccountMaker
  makeSession: SessionMaker
}

export function createSetup({ accounts, sharedKey, makeAccount, makeSession }: SetupDeps): Setup {
  const isSetupNeeded = async (): Promise<boolean> => (await accounts.count()) === 0

  const makeFirst = (draft: UserDraft) => makeAccount({ ...draft, role: 'administrator' }, { onlyFirst: true })

  async function checkKey(key: string): Promise<void> {
    const hash = await accounts.setupHash()
    if (hash === null || !isSecretOf(hash, key) || !(await isSetupNeeded()))
      throw new AppError('setup-key-wrong', 'this set-up link is outdated or was already used')
  }

  async function forgetKey(): Promise<void> {
    await accounts.setSetupHash(null)
    await sharedKey?.forget()
  }

  return {
    isSetupNeeded,
    async prepareSetup() {
      if (!(await isSetupNeeded())) {
        await forgetKey()
        return null
      }
      const fresh = createSecret()
      const key = (await sharedKey?.agree(fresh)) ?? fresh
      await accounts.setSetupHash(hashOfSecret(key))
      return key
    },
    async setUp({ key, email, password, name = '', ...seat }) {
      await checkKey(key)
      const account = await makeFirst({ email, password, name })
      // Somebody else was quicker while the password was hashed.
      if (account === null) throw new AppError('setup-key-wrong', 'this set-up link was already used')
      await forgetKey()
      const signedIn = await makeSession(account.id, seat)
      if (signedIn === null) throw new AppError('not-signed-in', 'this account no longer exists')
      return signedIn
    },
    async ensureAdministrator(email, password) {
      if (!(await isSetupNeeded())) return false
      return (await makeFirst({ email, password })) !== null
    },
  }
}
