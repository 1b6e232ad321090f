import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'

/**
 * A proxy that checks version 4 signatures, which the available server packages don't: from the received request alone, as a real
 * server has to, and without any of the client's code.
 */
export type Keys = { accessKey: string; secretKey: string }

const FIELDS =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
const MAX_SKEW_MS = 15 * 60_000
/** Headers that must be signed; otherwise a request could be changed in transit. */
const MUST_BE_SIGNED = ['host', 'x-amz-content-sha256', 'x-amz-date']

/** Returns what is wrong with the signature of a request; null if it is valid. */
export function signatureFault(
  { method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Buffer,
  { accessKey, secretKey }: Keys,
  nowMs: number,
): string | null {
  const fields = FIELDS.exec(headers.authorization ?? '')
  if (fields === null) return 'no signature'
  const [, given, day, region, list, signature] = fields as unknown as string[]
  if (given !== accessKey) return 'unknown access key'
  const signed = list!.split(';')
  const sent = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  for (const name of [...MUST_BE_SIGNED, ...sent]) if (!signed.includes(name)) return `${name} is not signed`
  if (signed.toSorted().join(';') !== list) return 'the signed headers are not in order'
  const date = String(headers['x-amz-date'])
  const time = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
  if (!(Math.abs(nowMs - time) < MAX_SKEW_MS) || !date.startsWith(day!)) return `the date ${date} is not now`
  const digest = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== digest) return 'the body is another one'
  const [path = '', query = ''] = url.split('?', 2)
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return [reencoded(name), reencoded(value.join('='))] as const
    })
    .toSorted(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`)
  const canonical = `${method}\n${path.split('/').map(reencoded).join('/')}\n${pairs
    .map((pair) => pair.join('='))
    .join('&')}\n${lines.join('')}\n${list}\n${digest}`
  const scope = `${day}/${region}/s3/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`
  let key: Buffer | string = `AWS4${secretKey}`
  for (const part of [...scope.split('/'), text]) key = createHmac('sha256', key).update(part).digest()
  return timingSafeEqual(key as Buffer, Buffer.from(signature!, 'hex')) ? null : 'the signature does not match'
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Percent-encodes every byte that is not an unreserved character. */
function reencoded(text: string): string {
  const bytes = Buffer.from(decodeURIComponent(text.replaceAll('+', '%2B')))
  return [...bytes]
    .map((byte) => {
      const char = String.fromCharCode(byte)
      return /[A-Za-z0-9\-._~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

/** Forwards correctly signed requests and refuses the rest as Amazon would. */
export function createCheckingProxy(keys: Keys, target: () => number): Server {
  return createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming)
    const fault = signatureFault(incoming, body, keys, Date.now())
    if (fault !== null) {
      const code = fault === 'unknown access key' ? 'InvalidAccessKeyId' : 'SignatureDoesNotMatch'
      outgoing.writeHead(403, { 'content-type': 'application/xml' })
      outgoing.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${fault}</Message></Error>`)
      return
    }
    const { method, url: path, headers } = incoming
    const onward = request({ host: '127.0.0.1', port: target(), method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    onward.end(body)
  })
}
