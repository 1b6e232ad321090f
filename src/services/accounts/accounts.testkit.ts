import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, createManualClock } from '../../core/clock.ts'
import { createSqliteAccounts } from '../../store/sqlite/accounts/accounts.ts'
import { createSqliteSessions, createSqliteTokens } from '../../store/sqlite/accounts/credentials.ts'
import { createSqliteProfiles } from '../../store/sqlite/accounts/profiles.ts'
import {
  createSqliteServerSecrets,
  createSqliteSetup,
  createSqliteSignInFailures,
} from '../../store/sqlite/accounts/sign-in.ts'
import { createSqliteCredentials } from '../../store/sqlite/accounts/source-credentials.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { createSqliteChannels } from '../../store/sqlite/inbox/channels.ts'
import { createSqliteInbox } from '../../store/sqlite/inbox/inbox.ts'
import { createAccountService } from './account-service.ts'
import { createPasswords } from './passwords.ts'

export type TestAccounts = Awaited<ReturnType<typeof createTestAccounts>>

/** Cheap enough for tests. */
export const cheapCost = { memoryKib: 64, passes: 1, lanes: 1 }
export const browser = { address: '192.0.2.1', agent: 'a browser' }
export const PASSWORD = 'correct horse'
export const SESSION_AGE_MS = 3_600_000

/** Accounts on a real store. `restart` drops everything in memory. */
export async function createTestAccounts(clock: Clock = createManualClock()) {
  const folder = await mkdtemp(join(tmpdir(), 'erace-accounts-'))
  const db = openDatabase(join(folder, 'catalog.db'), { migrations: catalogMigrations })
  const stores = {
    accounts: createSqliteAccounts(db),
    sessions: createSqliteSessions(db),
    tokens: createSqliteTokens(db),
    signInFailures: createSqliteSignInFailures(db),
    serverSecrets: createSqliteServerSecrets(db),
    setup: createSqliteSetup(db),
    profiles: createSqliteProfiles(db),
    inbox: createSqliteInbox(db),
    channels: createSqliteChannels(db),
    credentials: createSqliteCredentials(db),
  }
  function restart() {
    const passwords = createPasswords({ cost: cheapCost })
    const problems: string[] = []
    const service = createAccountService({
      stores,
      clock,
      sessionAgeMs: SESSION_AGE_MS,
      levelOf: (email) => (email.startsWith('gold') ? 'gold' : 'silver'),
      onProblem: (message) => problems.push(message),
      passwords,
    })
    return { service, passwords, problems }
  }
  const first = restart()
  return {
    ...first,
    stores,
    restart,
    async signedIn(email: string, password = PASSWORD) {
      const outcome = await first.service.signIn({ email, password, ...browser })
      if (outcome.kind !== 'signed-in') throw new Error(`${email} was not signed in: ${outcome.kind}`)
      return outcome
    },
    async close() {
      db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
