import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { TryParts } from '../../server/parts.ts'
import { createCredentialsKey } from '../../services/credentials/credentials-key.ts'
import { createSecretOpener } from '../../services/credentials/secret-opener.ts'
import { createRequestLimits } from '../../services/limits/request-limits.ts'
import { createTrySource } from '../../services/sources/trying/try-source.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createSourceSpelling } from '../protocols.ts'
import { openReach } from '../trying.ts'

type TryDeps = { config: Config; clock: Clock; stores: Pick<StoreSet, 'credentials' | 'keyFile' | 'requestCounts'> }

/** Limit per account. */
const TRIES_PER_MINUTE = 10

export function createTryParts({
  config,
  clock,
  stores,
  onProblem,
}: TryDeps & { onProblem(message: string, fields: Record<string, unknown>): void }): TryParts {
  const key = createCredentialsKey({ given: config.credentials.key, file: stores.keyFile })
  return {
    trySource: createTrySource({
      clock,
      // A new opener each time, without a cache: new values take effect at once.
      openSecret: (id) => createSecretOpener({ store: stores.credentials, key, clock }).open(id),
      openReach: () => openReach({ config, clock }),
    }),
    spell: createSourceSpelling(config),
    limits: createRequestLimits({ perMinute: TRIES_PER_MINUTE, shared: stores.requestCounts, clock, onProblem }),
  }
}
