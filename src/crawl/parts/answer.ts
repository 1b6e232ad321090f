import type { BodyData } from './rewindable-body.ts'

/** What a request came to, on its way from a shard to the modules: plain data that threads can be sent and a journal can keep. */
export type Answer = {
  url: string
  parent: string
  /** `stored`: a new version; `unchanged`: the page that is kept; `error`: 4xx, 5xx, or no answer at all; `redirect`. */
  kind: AnswerKind
  status: number
  /** Media type in small letters, without parameters. */
  type: string
  /** Names and values in turn; none for errors and redirects. */
  headers: readonly string[]
  location: string
  /** The error code of an error. */
  reason: string
  at: number
  isCut: boolean
  /** The version in the archive that has this body; 0 for none. */
  versionId: number
  body: BodyData
}

export type AnswerKind = 'stored' | 'unchanged' | 'error' | 'redirect'

/** Which answers a module is given. */
export type Wanted = {
  /** Media types, `type/*`, or all if empty. */
  types: readonly string[]
  /** `pages`: all pages, changed or not; `changes`: new versions; `all`: errors and redirects, too. */
  answers: 'pages' | 'changes' | 'all'
}

export function isWanted({ types, answers }: Wanted, { kind, type }: Pick<Answer, 'kind' | 'type'>): boolean {
  if (kind === 'error' || kind === 'redirect') return answers === 'all'
  if (kind === 'unchanged' && answers === 'changes') return false
  // The type of a page that is read from the archive is not known yet.
  if (types.length === 0 || type === '') return true
  return types.some((each) => each === type || (each.endsWith('/*') && type.startsWith(each.slice(0, -1))))
}
