import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { type AccountService, createAccountService } from '../../services/accounts/account-service.ts'
import { createLevels } from '../../services/scheduler/schedule-settings.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'

export type AccountDeps = {
  stores: Pick<StoreSet, 'accounts' | 'sessions' | 'tokens' | 'signInFailures' | 'setup' | 'profiles' | 'inbox'>
  config: Config
  clock: Clock
  onProblem(message: string, fields: Record<string, unknown>): void
  /** Several processes serve from the same stores. */
  isShared?: boolean
}

/** Everything about accounts. */
export function createAccounts({ stores, config, clock, onProblem, isShared = false }: AccountDeps): AccountService {
  return createAccountService({
    stores,
    clock,
    sessionAgeMs: config.server.sessionAgeMs,
    levelOf: createLevels(config.schedule),
    onProblem,
    isShared,
  })
}

/** Sees to it that there is an account or a way to make one: the key of the set-up link, or null where it is not needed. */
export async function prepareAccounts(
  accounts: Pick<AccountService, 'ensureAdministrator' | 'prepareSetup'>,
  administrator: { email: string; password: string } | null,
): Promise<string | null> {
  if (administrator !== null) {
    try {
      await accounts.ensureAdministrator(administrator.email, administrator.password)
    } catch (error) {
      if (!isAppError(error, 'request-invalid')) throw error
      throw new AppError('config-invalid', `ERACE_ADMIN_EMAIL, ERACE_ADMIN_PASSWORD: ${error.message}`, {
        cause: error,
      })
    }
  }
  return accounts.prepareSetup()
}
