import type { BodyData } from './rewindable-body.ts'

/** The result of a request, as sent from a shard to the modules: plain data that can be posted to threads and kept in a journal. */
export type Answer = {
  url: string
  parent: string
  /** `stored`: a new version; `unchanged`: the kept version is current; `error`: 4xx, 5xx, or no answer at all; `redirect`. */
  kind: AnswerKind
  status: number
  /** Media type in lower case, without parameters. */
  type: string
  /** Alternating names and values; empty for errors and redirects. */
  headers: readonly string[]
  location: string
  /** The error code of an error. */
  reason: string
  at: number
  isCut: boolean
  /** Id of the archived version with this body; 0 for none. */
  versionId: number
  body: BodyData
}

export type AnswerKind = 'stored' | 'unchanged' | 'error' | 'redirect'

/** Which answers a module gets. */
export type Wanted = {
  /** Media types, `type/*`, or all if empty. */
  types: readonly string[]
  /** `pages`: all pages, changed or not; `changes`: new versions; `all`: errors and redirects, too. */
  answers: 'pages' | 'changes' | 'all'
}

export function isWanted({ types, answers }: Wanted, { kind, type }: Pick<Answer, 'kind' | 'type'>): boolean {
  if (kind === 'error' || kind === 'redirect') return answers === 'all'
  if (kind === 'unchanged' && answers === 'changes') return false
  // The type of a page read from the archive isn't known yet.
  if (types.length === 0 || type === '') return true
  return types.some((each) => each === type || (each.endsWith('/*') && type.startsWith(each.slice(0, -1))))
}
