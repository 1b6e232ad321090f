import { createHmac, hash } from 'node:crypto'

/** AWS Signature Version 4 in the Authorization header, which every S3 server supports. */
export type SignedRequest = {
  method: string
  /** Including the query. */
  url: URL
  /** Headers to sign, with lower-case names; `host` is added. */
  headers: ReadonlyMap<string, string>
  body: Uint8Array
}

export type SigningKey = { accessKey: string; secretKey: string; region: string }

/** Returns the headers to send. */
export function signRequest(request: SignedRequest, key: SigningKey, atMs: number): Map<string, string> {
  const at = new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '')
  const day = at.slice(0, 8)
  const digest = hash('sha256', request.body, 'hex')
  const headers = new Map(request.headers)
  headers.set('host', request.url.host)
  headers.set('x-amz-content-sha256', digest)
  headers.set('x-amz-date', at)
  const names = [...headers.keys()].sort()
  const canonical = [
    request.method,
    encodePath(decodeURIComponent(request.url.pathname)),
    queryOf(request.url),
    ...names.map((name) => `${name}:${headers.get(name)!.trim()}`),
    '',
    names.join(';'),
    digest,
  ].join('\n')
  const scope = `${day}/${key.region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', at, scope, hash('sha256', canonical, 'hex')].join('\n')
  const signingKey = [key.region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${key.secretKey}`, day))
  const signature = hmac(signingKey, text).toString('hex')
  headers.set(
    'authorization',
    `AWS4-HMAC-SHA256 Credential=${key.accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  )
  return headers
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Percent-encodes everything except unreserved characters and slashes. */
export function encodePath(path: string): string {
  return path.split('/').map(encodePart).join('/')
}

function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function queryOf(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
    .sort()
    .join('&')
}
