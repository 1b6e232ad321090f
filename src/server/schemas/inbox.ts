import { Type } from 'typebox'
import { inboxStates } from '../../store/contracts/inbox.ts'
import { filledText, Id, MarkedText, MaybeTime, oneOf, pageQuery, Time } from './common.ts'

export const annotationKinds = ['new', 'changed', 'gone', 'back'] as const

/**
 * For interests: relevance, threshold, scorer, terms, further, missing, exclusions, expression. With `match: change`, positions are in the
 * changes. For a tracked source: tracked. For a page that is gone: gone.
 */
export const Explanation = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Why it is in the inbox: matching terms with weights and positions, or the tracked change',
})

const linePartKinds = ['same', 'removed', 'added', 'sign'] as const
const pieceKinds = ['same', 'removed', 'added'] as const
const changeKinds = ['added', 'removed', 'changed', 'moved'] as const

const Summary = Type.Object({
  ...MarkedText.properties,
  parts: Type.Array(Type.Object({ kind: oneOf(linePartKinds), text: Type.String() }), {
    description: 'The text in parts, for a change; they join to it',
  }),
  more: Type.Integer({ description: 'Changes that the text leaves out' }),
})

export const AnnotationChange = Type.Object({
  kind: oneOf(changeKinds),
  path: Type.String({ description: 'The headings above it, or its place in JSON' }),
  before: Type.Optional(Type.String()),
  after: Type.Optional(Type.String()),
  pieces: Type.Optional(
    Type.Array(Type.Object({ kind: oneOf(pieceKinds), text: Type.String() }), { description: 'Word by word' }),
  ),
  title: Type.Optional(Type.String()),
  link: Type.Optional(Type.String()),
})

const Entry = Type.Object({
  id: Type.String(),
  title: Type.String(),
  link: Type.String(),
  channel: Type.String({ description: 'Title of the feed' }),
})

export const Annotation = Type.Object({
  id: Id,
  kind: oneOf(annotationKinds),
  at: Time,
  url: Type.String(),
  link: Type.String({ description: 'Where the entry of a feed leads; otherwise the same as url' }),
  source: Type.String({ description: 'Host of the page' }),
  title: Type.String(),
  profile: Type.Object({ id: Type.String(), name: Type.String({ description: 'Empty if the profile was deleted' }) }),
  relevance: Type.Number(),
  urgency: Type.Number(),
  backlog: Type.Boolean({ description: 'Older than the profile' }),
  read: Type.Boolean(),
  starred: Type.Boolean(),
  archived: Type.Boolean(),
  summary: Summary,
  changes: Type.Array(AnnotationChange, { description: 'What changed; long texts are cut' }),
  moreChanges: Type.Integer({ description: 'Changes that are not listed' }),
  entry: Type.Union([Entry, Type.Null()], { description: 'The entry of a feed that it is about' }),
  explanation: Explanation,
  alsoAt: Type.Array(Type.String(), { description: 'Other pages that tell the same' }),
  document: Id,
  version: Id,
  n: Type.Integer({ description: 'Version number within its document' }),
  format: Type.String(),
  size: Type.Integer(),
  expiresAt: MaybeTime,
  count: Type.Optional(
    Type.Integer({
      description:
        'With group=page: how many changes of the page are in the list. The first version of a page isn’t one',
    }),
  ),
  profiles: Type.Optional(
    Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'With group=page: the profiles that have the page in this list',
    }),
  ),
})

export const inboxFilter = {
  state: Type.Optional(oneOf(inboxStates, { default: 'all' })),
  profile: Type.Optional(Type.String({ maxLength: 200 })),
  q: Type.Optional(Type.String({ maxLength: 1000 })),
  urgency: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Minimum urgency' })),
  upTo: Type.Optional(Id),
  document: Type.Optional(Id),
  entry: Type.Optional(Type.String({ maxLength: 2000, description: 'With document: the entry of a feed' })),
}
const group = {
  group: Type.Optional(
    oneOf(['page'], {
      description:
        'page: one item per page (or feed entry), its newest annotation that matches. `read` means that nothing of the page is unread',
    }),
  ),
}
export const formats = ['json', 'xml', 'wml', 'text'] as const

export const InboxQuery = Type.Object({ ...inboxFilter, ...group, ...pageQuery, format: Type.Optional(oneOf(formats)) })
/** Small devices read the text of an annotation in parts. */
export const AnnotationQuery = Type.Object({
  format: Type.Optional(oneOf(formats)),
  part: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1, description: 'Part of a WML deck' })),
})
export const EventQuery = Type.Object({
  crawl: Type.Optional(oneOf(['0', '1'], { description: '1: include crawl statistics (administrators only)' })),
})
/** Reject unknown and empty parameters, so that neither a typo nor a variable without a value can widen a bulk update. */
export const InboxFilterQuery = Type.Object(
  { ...inboxFilter, profile: filledText(200), q: filledText(1000), ...group },
  { additionalProperties: false },
)

export const Marks = Type.Object(
  {
    read: Type.Optional(Type.Boolean()),
    starred: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1 },
)
/** Without ids, applies to all that match the query. With group=page, each id means its page: all matches up to that id. */
export const BulkMarks = Type.Object(
  { ...Marks.properties, ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 10_000 })) },
  { additionalProperties: false },
)
/** One of `alsoAt`. */
export const SplitWish = Type.Object({ url: Type.String({ maxLength: 20_000 }) }, { additionalProperties: false })
export const BulkMarked = Type.Object({
  changed: Type.Integer(),
  ids: Type.Array(Id, { description: 'The annotations that changed; send them back to undo' }),
  more: Type.Boolean({ description: 'More annotations match; repeat the request' }),
})

const Counts = {
  unread: Type.Integer(),
  all: Type.Integer(),
  starred: Type.Integer(),
  archived: Type.Integer(),
}
const pages = Type.Object(Counts, { description: 'Pages: the items of a list with group=page' })
export const InboxCounts = Type.Object({
  ...Counts,
  pages,
  failing: Type.Integer({ description: 'Failing sources' }),
  profiles: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), ...Counts, pages })),
})
