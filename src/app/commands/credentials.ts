import type { Engine, Target } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import { createOperatorCredentials, type OperatorCredentials } from '../../services/credentials/operator-credentials.ts'
import { withStores } from '../engines/open-engine.ts'
import { createCredentialParts } from '../server/credential-parts.ts'
import { createAccounts } from '../server/parts.ts'

export const addCredentials: Engine['addCredentials'] = (target, { owner, ...draft }) =>
  withCredentials(target, (credentials) => credentials.add(owner, draft))

export const listCredentials: Engine['listCredentials'] = (target, owner) =>
  withCredentials(target, (credentials) => credentials.list(owner))

export const removeCredentials: Engine['removeCredentials'] = (target, { owner, name }) =>
  withCredentials(target, (credentials) => credentials.remove(owner, name))

function withCredentials<T>(target: Target, work: (credentials: OperatorCredentials) => Promise<T>): Promise<T> {
  const { config } = target
  return withStores(target, 'change', (stores) => {
    const { users } = createAccounts({ stores, config, clock: systemClock, onProblem: () => {} })
    return work(
      createOperatorCredentials({ users, service: createCredentialParts({ config, stores, clock: systemClock }) }),
    )
  })
}
