import { strings } from '../kit/strings.ts'
import type { Problem } from './types.ts'

const PREFIX = '/api/v1'

export type List<T> = { items: T[]; next: string | null }
type QueryValue = string | number | boolean | null | undefined
export type Query = Record<string, QueryValue>
type Details = NonNullable<Problem['error']['details']>
type RequestOptions = { query?: Query; body?: unknown; signal?: AbortSignal; accept?: string; contentType?: string }

/** A request the server rejected, or `offline` with status 0 when it could not be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Details

  constructor(status: number, code: string, message: string, details: Details = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = details
  }
}

export function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'offline'
}

/** A message for the user, for anything that may be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : strings.somethingWrong
}

/** The server's message about the first field it rejected, else the message of the whole error. */
export function detailOf(error: unknown): string {
  return (error instanceof ApiError && error.details[0]?.message) || messageOf(error)
}

export function urlOf(path: string, query: Query = {}): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') params.set(name, String(value))
  }
  const text = params.toString()
  return PREFIX + path + (text === '' ? '' : `?${text}`)
}

async function ask(method: string, path: string, options: RequestOptions): Promise<Response> {
  const headers: Record<string, string> = { accept: options.accept ?? 'application/json' }
  const init: RequestInit = { method, headers, credentials: 'same-origin' }
  if (options.signal !== undefined) init.signal = options.signal
  if (options.body !== undefined) {
    headers['content-type'] = options.contentType ?? 'application/json'
    init.body = typeof options.body === 'string' ? options.body : JSON.stringify(options.body)
  }
  let response: Response
  try {
    response = await fetch(urlOf(path, options.query), init)
  } catch (error) {
    if (options.signal?.aborted === true) throw error
    throw new ApiError(0, 'offline', strings.serverUnreachable)
  }
  if (!response.ok) throw await problemOf(response)
  return response
}

async function problemOf(response: Response): Promise<ApiError> {
  const problem: Problem | null = await response.json().catch(() => null)
  const { code, message, details } = problem?.error ?? {}
  return new ApiError(
    response.status,
    code ?? `http-${response.status}`,
    message ?? strings.serverStatus(response.status),
    details,
  )
}

async function askJson<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await ask(method, path, options)
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T)
}

/** Paths are relative to /api/v1. */
export const api = {
  get: <T>(path: string, query?: Query, signal?: AbortSignal) =>
    askJson<T>('GET', path, { ...(query && { query }), ...(signal && { signal }) }),
  post: <T>(path: string, body?: unknown, query?: Query) => askJson<T>('POST', path, { body, ...(query && { query }) }),
  put: <T>(path: string, body: unknown) => askJson<T>('PUT', path, { body }),
  patch: <T>(path: string, body: unknown, query?: Query) =>
    askJson<T>('PATCH', path, { body, ...(query && { query }) }),
  delete: <T>(path: string, body?: unknown, query?: Query) =>
    askJson<T>('DELETE', path, { body, ...(query && { query }) }),
  text: async (path: string, query?: Query, accept = 'text/plain') =>
    (await ask('GET', path, { accept, ...(query && { query }) })).text(),
  /** Sends a body that is not JSON, such as a profile in XML. */
  send: <T>(method: string, path: string, body: string, contentType: string) =>
    askJson<T>(method, path, { body, contentType }),
}
