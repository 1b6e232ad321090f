import { Type } from 'typebox'
import { filledText, Id, MaybeTime, oneOf, pageQuery, Time } from './common.ts'

/** The state shown in a row; if several apply, the worst. */
export const sourceStates = [
  'paused',
  'checking',
  'queued',
  'not-yet',
  'blocked-by-robots',
  'blocked-by-site',
  'sign-in-failed',
  'not-found',
  'failing',
  'refused',
  'unsupported',
  'nothing-selected',
  'blind',
  'too-expensive',
  'nothing-matched',
  'empty',
  'changed',
  'unchanged',
] as const

export const Source = Type.Object({
  id: Id,
  uri: Type.String(),
  host: Type.String(),
  title: Type.String({ description: 'Title of the page, if known' }),
  profile: Type.Object({ id: Type.String(), name: Type.String() }),
  process: oneOf(['filter', 'track', 'archive']),
  every: Type.String(),
  depth: Type.Integer(),
  scope: Type.String(),
  paused: Type.Boolean(),
  muted: Type.Boolean(),
  state: oneOf(sourceStates),
  message: Type.String({ description: 'The state in words, and what to do about it' }),
  since: MaybeTime,
  failing: Type.Boolean(),
  lastCheckedAt: MaybeTime,
  lastChangedAt: MaybeTime,
  nextCheckAt: MaybeTime,
  why: Type.String({ description: 'Why the next check is at that time' }),
  changesPerDay: Type.Union([Type.Number(), Type.Null()], {
    description: 'How often it changes, estimated from its checks',
  }),
  expectedDelayMs: Type.Union([Type.Integer(), Type.Null()], {
    description: 'How long a change waits for the check that finds it, on average',
  }),
  status: Type.Integer({ description: 'HTTP status of the last response; 0 for none' }),
  outcome: Type.String(),
  unread: Type.Integer(),
  document: Type.Union([Id, Type.Null()]),
})

export const Check = Type.Object({
  at: Time,
  outcome: Type.String(),
  status: Type.Integer(),
  changed: Type.Integer({ description: 'New versions' }),
  tookMs: Type.Integer(),
})
export const SourceDetail = Type.Object({ ...Source.properties, checks: Type.Array(Check) })

export const sourceSegments = ['all', 'unread', 'failing', 'paused'] as const
const sourceFilter = {
  state: Type.Optional(oneOf(sourceSegments, { default: 'all' })),
  profile: Type.Optional(Type.String({ maxLength: 200 })),
  q: Type.Optional(Type.String({ maxLength: 200 })),
}
export const SourceQuery = Type.Object({ ...sourceFilter, ...pageQuery })
/** Reject unknown and empty parameters, so that neither a typo nor a variable without a value can widen a bulk update. */
export const SourceFilterQuery = Type.Object(
  { ...sourceFilter, profile: filledText(200), q: filledText(200) },
  { additionalProperties: false },
)
export const SourceList = Type.Object({
  items: Type.Array(Source),
  next: Type.Union([Type.String(), Type.Null()]),
  counts: Type.Object({
    all: Type.Integer(),
    unread: Type.Integer(),
    failing: Type.Integer(),
    paused: Type.Integer(),
    matching: Type.Integer({ description: 'Sources that match the query, on all pages' }),
  }),
})

const marks = { paused: Type.Optional(Type.Boolean()), muted: Type.Optional(Type.Boolean()) }
export const SourceMarks = Type.Object(marks, { additionalProperties: false, minProperties: 1 })
const ids = Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 10_000 }))
/** Without ids, applies to all that match the query. */
export const BulkSourceMarks = Type.Object({ ...marks, ids }, { additionalProperties: false })
export const BulkSources = Type.Object({ ids }, { additionalProperties: false })
export const BulkSourcesDone = Type.Object({ changed: Type.Integer(), ids: Type.Array(Id) })

export const CheckResult = Type.Object({
  result: oneOf(['asked', 'out-already', 'paused', 'unknown'], {
    description: 'asked: checked next; out-already: being checked; paused, unknown: not checked',
  }),
})

export const SourceImport = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 2_000_000 }),
    format: Type.Optional(oneOf(['auto', 'list', 'opml'], { default: 'auto' })),
    every: Type.Optional(Type.String({ maxLength: 20 })),
    into: Type.Optional(
      oneOf(['own', 'default'], {
        default: 'own',
        description: 'own: a profile for each address; default: all in your profile “My pages”, created when missing',
      }),
    ),
  },
  { additionalProperties: false },
)
export const SourceImported = Type.Object({
  added: Type.Integer(),
  sources: Type.Array(Type.Object({ uri: Type.String(), profile: Type.String() }), {
    description: 'The first 100 that were added',
  }),
  profiles: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  skipped: Type.Array(Type.Object({ line: Type.Integer(), text: Type.String(), why: Type.String() })),
})
