import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ServerSecretStore } from '../../store/contracts/accounts/server-secrets.ts'

/**
 * Recognises the devices of an account by a cookie that they get when they sign in. It grants nothing: it only gives the device its
 * own allowance of wrong passwords, so that others' guesses don't lock it out. A new password invalidates the cookies given before.
 */
export type Devices = {
  issue(account: KnownAccount): Promise<string>
  /** The device's id; null if the cookie wasn't issued for this account. */
  identify(cookie: string, account: KnownAccount): Promise<string | null>
}

type KnownAccount = { id: number; passwordHash: string }

const KEY_BYTES = 32
const ID_BYTES = 16
const cookieForm = /^([\w-]{22})\.([\w-]{43})$/

export function createDevices(secrets: ServerSecretStore): Devices {
  let key: Promise<Uint8Array> | null = null

  async function sign(id: string, { id: account, passwordHash }: KnownAccount): Promise<Buffer> {
    key ??= secrets.agree('devices', randomBytes(KEY_BYTES)).catch((error: unknown) => {
      key = null
      throw error
    })
    return createHmac('sha256', await key)
      .update(`${id} ${account} ${passwordHash}`)
      .digest()
  }

  return {
    async issue(account) {
      const id = randomBytes(ID_BYTES).toString('base64url')
      return `${id}.${(await sign(id, account)).toString('base64url')}`
    },
    async identify(cookie, account) {
      const [, id, signature] = cookieForm.exec(cookie) ?? []
      if (id === undefined || signature === undefined) return null
      const given = Buffer.from(signature, 'base64url')
      const expected = await sign(id, account)
      return given.byteLength === expected.byteLength && timingSafeEqual(given, expected) ? id : null
    },
  }
}
