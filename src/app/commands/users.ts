import type { Engine, Target } from '../../cli/engine.ts'
import type { Account } from '../../core/account.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { listAll, type Users } from '../../services/accounts/users.ts'
import { withStores } from '../engines/open-engine.ts'
import type { Purpose } from '../engines/target.ts'
import { createAccounts } from '../server/parts.ts'

/** Accounts may be created before anything is fetched. */
export const addUser: Engine['addUser'] = (target, draft) => withUsers(target, (users) => users.add(draft), 'create')

export const listUsers: Engine['listUsers'] = (target) => withUsers(target, listAll)

export const setPassword: Engine['setPassword'] = (target, email, password) =>
  withUsers(target, async (users) => users.change((await known(users, email)).id, { password }))

export const removeUser: Engine['removeUser'] = (target, email) =>
  withUsers(target, async (users) => users.remove((await known(users, email)).id))

async function known(users: Users, email: string): Promise<Account> {
  const account = await users.findByEmail(email)
  if (account === null) throw new AppError('not-found', `there is no account of ${email}`)
  return account
}

function withUsers<T>(target: Target, work: (users: Users) => Promise<T>, purpose: Purpose = 'change'): Promise<T> {
  return withStores(target, purpose, (stores) =>
    work(createAccounts({ stores, config: target.config, clock: systemClock, onProblem: () => {} }).users),
  )
}
