import { AppError } from '../../core/errors.ts'
import { namedOwner } from '../accounts/named-owner.ts'
import { listAll, type Users } from '../accounts/users.ts'
import type { CredentialService, CredentialsInput, ShownCredentials } from './credential-service.ts'

/** The credentials of all accounts, for the operator of the machine; without their secrets. */
export type OperatorCredentials = {
  /** `owner` null: the only account. */
  add(owner: string | null, draft: CredentialsInput & { name: string }): Promise<OwnedCredentials>
  /** Credentials of one owner, or of all if null. */
  list(owner: string | null): Promise<OwnedCredentials[]>
  remove(owner: string | null, name: string): Promise<OwnedCredentials>
}

export type OwnedCredentials = ShownCredentials & { owner: string }

export type OperatorCredentialsDeps = {
  users: Pick<Users, 'list' | 'findByEmail'>
  service: Pick<CredentialService, 'add' | 'list' | 'remove'>
}

export function createOperatorCredentials({ users, service }: OperatorCredentialsDeps): OperatorCredentials {
  async function listOf(owner: string): Promise<OwnedCredentials[]> {
    return (await service.list(owner)).map((credentials) => ({ ...credentials, owner }))
  }

  return {
    async add(email, draft) {
      const { email: owner } = await namedOwner(users, email)
      return { ...(await service.add(owner, draft)), owner }
    },
    async list(email) {
      const owners = email === null ? await listAll(users) : [await namedOwner(users, email)]
      const all: OwnedCredentials[] = []
      for (const { email: owner } of owners) all.push(...(await listOf(owner)))
      return all
    },
    async remove(email, name) {
      const { email: owner } = await namedOwner(users, email)
      const found = (await listOf(owner)).find((each) => each.name === name)
      if (found === undefined || !(await service.remove(owner, found.id)))
        throw new AppError('not-found', `${owner} has no credentials named ${JSON.stringify(name.slice(0, 100))}`)
      return found
    },
  }
}
