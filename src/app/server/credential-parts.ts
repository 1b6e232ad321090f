import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { type CredentialService, createCredentialService } from '../../services/credentials/credential-service.ts'
import { createCredentialsKey } from '../../services/credentials/credentials-key.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'

export type CredentialPartDeps = {
  config: Pick<Config, 'credentials'>
  stores: Pick<StoreSet, 'credentials' | 'profiles' | 'keyFile'>
  clock: Clock
}

export function createCredentialParts({ config, stores, clock }: CredentialPartDeps): CredentialService {
  const { credentials, profiles, keyFile } = stores
  const key = createCredentialsKey({ given: config.credentials.key, file: keyFile })
  return createCredentialService({ credentials, profiles, key, clock })
}
