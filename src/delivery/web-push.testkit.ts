import { createDecipheriv, createECDH, createHmac } from 'node:crypto'

/** A subscribed browser: its keys, and decryption of what it receives. */
export function createSubscriber(keys?: { privateKey: string; auth: string }) {
  const own = createECDH('prime256v1')
  if (keys === undefined) own.generateKeys()
  else own.setPrivateKey(keys.privateKey, 'base64url')
  const auth = Buffer.from(keys?.auth ?? 'BTBZMqHH6r4Tts7J_aSIgg', 'base64url')
  return {
    p256dh: own.getPublicKey().toString('base64url'),
    auth: auth.toString('base64url'),
    /** Implements RFC 8291 (keys) and RFC 8188 (one record of aes128gcm), sharing no code with the encryption. */
    decrypt(body: Buffer): string {
      const salt = body.subarray(0, 16)
      const idLength = body[20]!
      const senderKey = body.subarray(21, 21 + idLength)
      const sealed = body.subarray(21 + idLength)
      if (body.readUInt32BE(16) < sealed.length) throw new Error('more than one record')
      const shared = own.computeSecret(senderKey)
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), senderKey])
      const secret = hkdf(auth, shared, info, 32)
      const key = hkdf(salt, secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
      const nonce = hkdf(salt, secret, Buffer.from('Content-Encoding: nonce\0'), 12)
      const cipher = createDecipheriv('aes-128-gcm', key, nonce)
      cipher.setAuthTag(sealed.subarray(-16))
      const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
      const end = plain.lastIndexOf(2)
      if (end < 0 || plain.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no end of the last record')
      return plain.subarray(0, end).toString('utf8')
    },
  }
}

/** HKDF (RFC 5869), for at most one block. */
function hkdf(salt: Buffer, secret: Buffer, info: Buffer, length: number): Buffer {
  const key = createHmac('sha256', salt).update(secret).digest()
  return createHmac('sha256', key)
    .update(info)
    .update(Buffer.from([1]))
    .digest()
    .subarray(0, length)
}
