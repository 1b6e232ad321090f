import type { Config } from './config/config.ts'
import type { Clock } from './core/clock.ts'
import { AppError, isAppError } from './core/errors.ts'
import { type AccountService, createAccountService } from './services/accounts/account-service.ts'
import { createLevels } from './services/scheduler/schedule-settings.ts'
import { createEmbeddedAccounts } from './store/embedded/accounts.ts'
import type { Database } from './store/embedded/database.ts'
import { createEmbeddedInbox } from './store/embedded/inbox.ts'
import { createEmbeddedProfiles } from './store/embedded/profiles.ts'

export type AccountNeeds = {
  db: Database
  config: Config
  clock: Clock
  onProblem(message: string, fields: Record<string, unknown>): void
}

/** Everything about accounts on the embedded store. */
export function createAccounts({ db, config, clock, onProblem }: AccountNeeds): AccountService {
  return createAccountService({
    stores: {
      accounts: createEmbeddedAccounts(db),
      profiles: createEmbeddedProfiles(db),
      inbox: createEmbeddedInbox(db),
    },
    clock,
    sessionAgeMs: config.server.sessionAgeMs,
    levelOf: createLevels(config.schedule),
    onProblem,
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
