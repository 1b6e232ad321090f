import type { Account } from '../../core/account.ts'
import { AppError } from '../../core/errors.ts'
import type { Users } from './users.ts'

/** The account named by the operator of the machine; without an address, the only one. */
export async function namedOwner(users: Pick<Users, 'list' | 'findByEmail'>, email: string | null): Promise<Account> {
  if (email !== null) {
    const account = await users.findByEmail(email)
    if (account === null) throw new AppError('not-found', `there is no account of ${email}`)
    return account
  }
  const [account, another] = await users.list({ after: 0, limit: 2 })
  if (account === undefined)
    throw new AppError('not-found', 'there are no accounts yet; add one with erace user add EMAIL')
  if (another !== undefined)
    throw new AppError(
      'usage-wrong',
      'there are several accounts: name the owner with --owner (erace user list shows them)',
    )
  return account
}
