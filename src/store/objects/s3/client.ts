import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { AppError, isAppError } from '../../../core/errors.ts'
import { retry, type Wait } from '../../../core/work/retry.ts'
import { encodePath, type SigningKey, signRequest } from './signature.ts'

export type S3Settings = {
  /** `https://s3.example.org`, or with http and a port. */
  endpoint: string
  region: string
  bucket: string
  accessKey: string
  secretKey: string
  /** The bucket is in the path instead of the host name. */
  pathStyle: boolean
}

export type S3ClientDeps = S3Settings & {
  now?(): number
  wait?: Wait
  limits?: Partial<S3Limits>
  /** DNS look-up; the system's by default. */
  lookup?: LookupFunction
}

export type S3Limits = {
  /** Timeout of a request including its response; a silent connection is dead after a third of it. */
  requestMs: number
  /** Maximum attempts for temporary failures. After that the caller waits longer, and says so. */
  attempts: number
}

export type ListedObject = { key: string; bytes: number }

/** The few requests needed for records: objects are written whole, read by range, listed and removed. */
export type S3Client = {
  put(key: string, body: Uint8Array): Promise<void>
  /** Throws `record-damaged` if the object or that range of it doesn't exist. */
  get(key: string, range: { offset: number; length: number }): Promise<Buffer>
  list(prefix: string): Promise<ListedObject[]>
  /** Succeeds if the object doesn't exist. */
  remove(key: string): Promise<void>
  close(): void
}

const defaultLimits: S3Limits = { requestMs: 60_000, attempts: 4 }
const MAX_SOCKETS = 16
const MAX_ERROR_BYTES = 64 * 1024
const MAX_LIST_BYTES = 16 << 20
const FIRST_WAIT_MS = 100
const LAST_WAIT_MS = 2_000

type Sent = { method: string; url: URL; headers?: readonly (readonly [string, string])[]; body?: Uint8Array }
type Answer = { status: number; headers: IncomingMessage['headers']; body: Buffer }

export function createS3Client({ now = Date.now, wait, limits: given, lookup, ...settings }: S3ClientDeps): S3Client {
  const limits = { ...defaultLimits, ...given }
  const { endpoint, bucket, pathStyle } = settings
  const base = new URL(endpoint)
  const isSafe = base.protocol === 'https:'
  const agent = new (isSafe ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: MAX_SOCKETS })
  const key: SigningKey = settings
  const home = pathStyle ? `${base.origin}/${bucket}` : `${base.protocol}//${bucket}.${base.host}`
  const urlOf = (name: string): URL => new URL(`${home}/${encodePath(name)}`)

  function send({ method, url, headers = [], body = Buffer.alloc(0) }: Sent, maxBytes: number): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const signed = signRequest({ method, url, headers: new Map(headers), body }, key, now())
    const sent: ClientRequest = (isSafe ? requestHttps : requestHttp)(url, {
      ...{ method, agent, timeout: limits.requestMs / 3 },
      ...(lookup === undefined ? {} : { lookup }),
      headers: { ...Object.fromEntries(signed), 'content-length': body.length },
    })
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${limits.requestMs} ms`)), limits.requestMs)
    sent.on('timeout', () => sent.destroy(new Error('the server went silent')))
    sent.on('error', reject)
    sent.on('response', (answer) => {
      readAll(answer, answer.statusCode! < 300 ? maxBytes : MAX_ERROR_BYTES).then(
        (read) => resolve({ status: answer.statusCode!, headers: answer.headers, body: read }),
        (error: Error) => {
          sent.destroy()
          reject(error)
        },
      )
    })
    sent.end(body)
    return promise.finally(() => clearTimeout(timer))
  }

  /** Retries temporary failures: all requests here are idempotent. */
  function exchange(sent: Sent, maxBytes: number, accepted: readonly number[]): Promise<Answer> {
    const attempt = async (): Promise<Answer> => {
      let answer: Answer
      try {
        answer = await send(sent, maxBytes)
      } catch (error) {
        throw isAppError(error) ? error : unreachable(endpoint, error as Error)
      }
      if (accepted.includes(answer.status) && !saysNothing(answer)) return answer
      throw refusal(endpoint, bucket, answer)
    }
    return retry(attempt, {
      ...{ firstMs: FIRST_WAIT_MS, lastMs: LAST_WAIT_MS },
      shouldRetry: (error, count) => isAppError(error) && error.retry === 'later' && count < limits.attempts,
      ...(wait === undefined ? {} : { wait }),
    })
  }

  return {
    async put(name, body) {
      await exchange({ method: 'PUT', url: urlOf(name), body }, MAX_ERROR_BYTES, [200])
    },
    async get(name, { offset, length }) {
      if (length === 0) return Buffer.alloc(0)
      const range = [['range', `bytes=${offset}-${offset + length - 1}`]] as const
      const { status, body } = await exchange(
        { method: 'GET', url: urlOf(name), headers: range },
        length,
        [206, 404, 416],
      )
      if (status !== 206) throw new AppError('record-damaged', `object ${name} is missing or too short`)
      if (body.length !== length)
        throw new AppError(
          'record-damaged',
          `object ${name} has ${body.length} bytes at ${offset} instead of ${length}`,
        )
      return body
    },
    async list(prefix) {
      const found: ListedObject[] = []
      for (let token: string | null = ''; token !== null; ) {
        const url = new URL(`${home}${pathStyle ? '' : '/'}`)
        url.searchParams.set('list-type', '2')
        url.searchParams.set('prefix', prefix)
        if (token !== '') url.searchParams.set('continuation-token', token)
        const { body } = await exchange({ method: 'GET', url }, MAX_LIST_BYTES, [200])
        const page = readList(body.toString('utf8'))
        found.push(...page.objects)
        token = page.next
      }
      return found
    },
    async remove(name) {
      await exchange({ method: 'DELETE', url: urlOf(name) }, MAX_ERROR_BYTES, [200, 204, 404])
    },
    close: () => agent.destroy(),
  }
}

async function readAll(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw new AppError('store-failed', `the object store sent more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function unreachable(endpoint: string, error: Error): AppError {
  const { code, message } = error as NodeJS.ErrnoException
  return new AppError('store-unreachable', `the object store at ${endpoint} can't be reached: ${message || code}`)
}

/** Without the bucket, nothing is known about the objects in it, nor if a proxy answers instead of the object store. */
function saysNothing({ status, body }: Answer): boolean {
  if (status !== 404) return false
  const code = codeOf(body)
  return code === undefined || code === 'NoSuchBucket'
}

function codeOf(body: Buffer): string | undefined {
  return /<Code>([\w.]{1,80})<\/Code>/.exec(body.toString('utf8'))?.[1]
}

/** Servers describe errors in XML; the code is enough, and contains no secrets. */
function refusal(endpoint: string, bucket: string, { status, body }: Answer): AppError {
  const code = codeOf(body) ?? `status ${status}`
  const where = `the object store at ${endpoint}`
  const isBusy = status === 429 || status === 408 || status >= 500
  // Ceph reports a used-up quota with status 403, MinIO with 400.
  if (status === 507 || /Quota/.test(code) || (isBusy && /Storage/.test(code)))
    return new AppError('store-full', `${where} answered with ${code}`)
  // S3 reports with status 400 that a request arrived too slowly.
  if (isBusy || code === 'RequestTimeout') return new AppError('store-unavailable', `${where} answered with ${code}`)
  if (status === 404 && codeOf(body) === undefined)
    return new AppError('store-unavailable', `${where} is not what answers there: status 404 without an S3 error code`)
  if (code === 'NoSuchBucket') return new AppError('store-refused', `${where} has no bucket ${bucket}`)
  if (code === 'RequestTimeTooSkewed')
    return new AppError('store-refused', `${where} refuses requests: this machine's clock differs from its own`)
  return new AppError('store-refused', `${where} refused access to the bucket ${bucket}: ${code}`)
}

type ListPage = { objects: ListedObject[]; next: string | null }

/** The keys are our own, so they contain nothing that needs escaping. */
function readList(xml: string): ListPage {
  const objects: ListedObject[] = []
  for (const [, entry] of xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
    const key = /<Key>([^<]*)<\/Key>/.exec(entry!)?.[1]
    const size = /<Size>(\d+)<\/Size>/.exec(entry!)?.[1]
    if (key === undefined || size === undefined)
      throw new AppError('store-failed', 'the object store sent a list without names')
    objects.push({ key, bytes: Number(size) })
  }
  const isTruncated = /<IsTruncated>true<\/IsTruncated>/.test(xml)
  const next = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(xml)?.[1]
  if (isTruncated && next === undefined)
    throw new AppError('store-failed', 'the object store sent a list without its end')
  return { objects, next: isTruncated ? unescaped(next!) : null }
}

function unescaped(text: string): string {
  const characters = new Map([
    ['amp', '&'],
    ['lt', '<'],
    ['gt', '>'],
    ['quot', '"'],
    ['apos', "'"],
  ])
  return text.replace(/&(\w+);/g, (whole, name: string) => characters.get(name) ?? whole)
}
