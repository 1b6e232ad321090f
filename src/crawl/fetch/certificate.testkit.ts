import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Creates a self-signed certificate for one host name: DER by hand, since node:crypto can only read certificates. */
export function selfSigned(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const ecdsaSha256 = sequence(oid('2a8648ce3d040302'))
  const name = sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(host)))))
  const year = new Date().getUTCFullYear()
  const validity = sequence(time(year - 1), time(year + 1))
  const altNames = sequence(tagged(0x82, Buffer.from(host)))
  const extensions = sequence(
    sequence(oid('551d11'), tagged(0x04, altNames)),
    // Marked as a certificate authority, so that it can be trusted as its own issuer.
    sequence(
      oid('551d13'),
      tagged(0x01, Buffer.from([0xff])),
      tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))),
    ),
  )
  const toSign = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  )
  const signature = sign('sha256', toSign, privateKey)
  const der = sequence(toSign, ecdsaSha256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').replace(/.{64}(?!$)/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

const sequence = (...parts: Buffer[]) => tagged(0x30, Buffer.concat(parts))
const oid = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'))
const time = (year: number) => tagged(0x18, Buffer.from(`${year}0101000000Z`))
