import { createECDH } from 'node:crypto'
import type { ServerSecretStore } from '../store/contracts/accounts/server-secrets.ts'
import type { PushKeys } from './channel-agent.ts'

const KEY_BYTES = 32

/**
 * The VAPID keys of this service, created on first use. All servers of a shared store use the same keys, since browser subscriptions
 * are valid only for this public key.
 */
export async function agreePushKeys(secrets: ServerSecretStore): Promise<PushKeys> {
  const made = createECDH('prime256v1')
  made.generateKeys()
  const privateKey = await secrets.agree('web-push', padded(made.getPrivateKey()))
  const agreed = createECDH('prime256v1')
  agreed.setPrivateKey(privateKey)
  return {
    publicKey: agreed.getPublicKey().toString('base64url'),
    privateKey: Buffer.from(privateKey).toString('base64url'),
  }
}

/** Restores leading zeros, which Node drops from a key. */
function padded(key: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(KEY_BYTES - key.length), key])
}
