import { existsSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import type { Engine, Place } from './cli/engine.ts'
import type { Account } from './core/account.ts'
import { systemClock } from './core/clock.ts'
import { AppError } from './core/errors.ts'
import { createAccounts } from './main-accounts.ts'
import { embeddedStores } from './main-embedded-stores.ts'
import type { Users } from './services/accounts/users.ts'
import { openDatabase } from './store/embedded/database.ts'
import { openFolder, paths } from './store/embedded/folder.ts'
import { catalogMigrations } from './store/embedded/schema-catalog.ts'

const PAGE = 1000

/** Accounts on the embedded store, beside whoever else uses the data folder. */
export const addUser: Engine['addUser'] = async (place, draft) => {
  await makeFolder(place)
  return withUsers(place, (users) => users.add(draft))
}

export const listUsers: Engine['listUsers'] = (place) =>
  withUsers(place, async (users) => {
    const all: Account[] = []
    for (;;) {
      const page = await users.list({ after: all.at(-1)?.id ?? 0, limit: PAGE })
      all.push(...page)
      if (page.length < PAGE) return all
    }
  })

export const setPassword: Engine['setPassword'] = (place, email, password) =>
  withUsers(place, async (users) => users.change((await known(users, email)).id, { password }))

export const removeUser: Engine['removeUser'] = (place, email) =>
  withUsers(place, async (users) => users.remove((await known(users, email)).id))

async function known(users: Users, email: string): Promise<Account> {
  const account = await users.findByEmail(email)
  if (account === null) throw new AppError('not-found', `there is no account of ${email}`)
  return account
}

async function withUsers<T>({ dataDir, config }: Place, work: (users: Users) => Promise<T>): Promise<T> {
  if (!existsSync(paths.catalog(dataDir)))
    throw new AppError('store-missing', `There is no data folder at ${dataDir}. Name one with --data.`)
  const db = openDatabase(paths.catalog(dataDir), { migrations: catalogMigrations, mustExist: true })
  try {
    return await work(
      createAccounts({ stores: embeddedStores(dataDir, db), config, clock: systemClock, onProblem: () => {} }).users,
    )
  } finally {
    db.close()
  }
}

/** Accounts may come before anything was fetched. */
async function makeFolder({ dataDir, config }: Place): Promise<void> {
  if (existsSync(paths.catalog(dataDir))) return
  const shards = config.crawl.threads === 0 ? availableParallelism() : config.crawl.threads
  await openFolder({ folder: dataDir, holder: `process ${process.pid} on ${hostname()}`, shards }).close()
}
