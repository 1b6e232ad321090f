import type { Random } from '../../../bench/origin/random.ts'

/** The part of JSON Schema that the OpenAPI document uses. */
export type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  format?: string
}

export type Operation = {
  method: string
  path: string
  parameters: { name: string; in: 'query' | 'path' | 'header'; required: boolean; schema: Schema }[]
  bodies: Map<string, Schema>
  statuses: string[]
  access: string
}

export const nameOf = ({ method, path }: Operation): string => `${method} ${path}`

type OpenApi = {
  paths: Record<string, Record<string, Record<string, unknown>>>
}

export function operationsOf(document: unknown): Operation[] {
  return Object.entries((document as OpenApi).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, { schema: Schema }> }
      return {
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? []) as Operation['parameters'],
        bodies: new Map(Object.entries(content).map(([type, { schema }]) => [type, schema])),
        statuses: Object.keys(operation.responses as object),
        access: String(operation['x-access']),
      }
    }),
  )
}

/** The sender of a request: anonymous, a session of an account, or one of its tokens with one scope. */
export type CallerName =
  | 'nobody'
  | 'ann'
  | 'ann-read'
  | 'ann-write'
  | 'root'
  | 'root-read'
  | 'root-write'
  | 'root-admin'

/** Data for building requests. The same in every run except for the site's port and profile ids, so that requests can be repeated. */
export type World = {
  operations: readonly Operation[]
  /** Pages of the site, and dead addresses. */
  urls: readonly string[]
  /** The page that only bob watches. */
  secretUrl: string
  profiles: readonly string[]
  /** Ids of the accounts that the run itself needs. */
  accounts: readonly number[]
  /** An id for a path such as `/documents/{id}`: the caller's own, another user's, or one that doesn't exist. */
  idFor(path: string, random: Random): number | string | undefined
}
