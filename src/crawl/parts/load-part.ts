import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { AppError, isAppError } from '../../core/errors.ts'
import type { PartKind, Parts } from './part.ts'

/** By kind: the function that makes the part, and its required methods. */
const expected = {
  module: { made: 'defineModule', methods: ['process'] },
  protocol: { made: 'defineFetcher', methods: ['create'] },
  filter: { made: 'defineFilter', methods: ['create'] },
  storage: { made: 'defineStorage', methods: ['store'] },
  frontier: { made: 'defineFrontier', methods: ['create'] },
  order: { made: 'defineOrder', methods: ['create'] },
  urlSet: { made: 'defineUrlSet', methods: ['create'] },
  documentSet: { made: 'defineDocumentSet', methods: ['create'] },
  scorer: { made: 'defineScorer', methods: ['create'] },
  resolver: { made: 'defineResolver', methods: ['create'] },
} as const satisfies Record<PartKind, { made: string; methods: readonly string[] }>

const namePattern = /^[\w.@-]{1,64}$/

/**
 * Loads the part in a file, in the calling thread. The configuration has checked the path (`config/part-path.ts`). Throws `part-invalid`,
 * naming the file, if it can't be imported or exports something else.
 */
export async function loadPart<K extends PartKind>(kind: K, path: string): Promise<Parts[K]> {
  try {
    return checked(kind, path, await import(pathToFileURL(path).href))
  } catch (error) {
    throw explained(path, error)
  }
}

/** Synchronous `loadPart`. Can't load a file with a top-level await. */
export function loadPartNow<K extends PartKind>(kind: K, path: string): Parts[K] {
  try {
    return checked(kind, path, createRequire(import.meta.url)(path))
  } catch (error) {
    throw explained(path, error)
  }
}

function explained(path: string, error: unknown): AppError {
  if (isAppError(error, 'part-invalid')) return error
  return new AppError('part-invalid', `${path}: cannot be loaded: ${messageOf(error)}`, { cause: error })
}

function checked<K extends PartKind>(kind: K, path: string, module: { default?: unknown }): Parts[K] {
  const exported = module.default
  const fault = faultOf(kind, exported)
  if (fault !== null) throw new AppError('part-invalid', `${path}: ${fault}`)
  return exported as Parts[K]
}

function faultOf(kind: PartKind, exported: unknown): string | null {
  const { made, methods } = expected[kind]
  if (typeof exported !== 'object' || exported === null) return `its default export must be made by ${made}(…)`
  const part = exported as Record<string, unknown>
  if (part.kind !== kind) {
    const other = typeof part.kind === 'string' && Object.hasOwn(expected, part.kind) ? part.kind : null
    return `its default export must be made by ${made}(…)${other === null ? '' : `; this is a part of kind ${other}`}`
  }
  if (typeof part.name !== 'string' || !namePattern.test(part.name))
    return 'its name must have 1 to 64 letters, digits and . _ - @'
  const missing = methods.find((method) => typeof part[method] !== 'function')
  return missing === undefined ? null : `it has no method ${missing}`
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300)
}
