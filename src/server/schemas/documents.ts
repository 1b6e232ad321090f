import { Type } from 'typebox'
import { muteReasons } from '../../core/change/noise/learned-block.ts'
import { Id, listOf, Mark, MarkedText, oneOf, pageQuery, Time } from './common.ts'

export const Version = Type.Object({
  id: Id,
  n: Type.Integer(),
  document: Id,
  url: Type.String(),
  reason: oneOf(['new', 'changed', 'links', 'gone', 'back'], {
    description: '`links`: the same text as the version before it, with other links',
  }),
  firstSeenAt: Time,
  lastSeenAt: Time,
  status: Type.Integer(),
  type: Type.String(),
  size: Type.Integer(),
  title: Type.String(),
  digest: Type.String({ description: 'In the format of WARC headers; empty for a version without content' }),
  etag: Type.String(),
  lastModified: Type.String(),
  truncated: Type.String(),
  completedFrom: Type.Union([Type.Object({ table: oneOf(['tvi']), parts: Type.Array(Type.String()) }), Type.Null()], {
    description:
      'Where only volatile parts were fetched, from the table that the site offers, and the rest was kept before: the ids of the parts that changed. Null for a page that came whole',
  }),
  address: Type.String(),
  location: Type.String(),
  body: oneOf(['kept', 'dropped', 'lost', 'none']),
  notice: Type.Union([oneOf(['notified', 'noise']), Type.Null()], {
    description:
      '`noise`: only parts changed that change all the time, so it notified no one. Null where nobody was to be notified',
  }),
})
export const VersionList = listOf(Version)

/** As in a source; the profile reader's limits apply. */
export const PartBody = Type.Object(
  {
    select: Type.Array(Type.String({ maxLength: 500 }), { maxItems: 20 }),
    omit: Type.Optional(Type.Array(Type.String({ maxLength: 500 }), { maxItems: 20 })),
  },
  { additionalProperties: false },
)
export const PartList = Type.Object({
  items: Type.Array(
    Type.Object({
      version: Id,
      n: Type.Integer(),
      at: Time,
      state: oneOf(['some', 'nothing', 'too-expensive', 'no-body']),
      text: Type.String({ description: 'The chosen text, a line for each block; cut at 1,000 characters' }),
    }),
    { description: 'Newest first' },
  ),
})

const Undone = Type.Union([oneOf(['you', 'everyone']), Type.Null()], {
  description: 'For whom its changes notify again: it is not muted again by itself. Null where it is muted',
})

export const Muted = Type.Object({
  block: Type.String({ description: 'Its id in this document' }),
  reason: oneOf(muteReasons),
  why: Type.String({ description: 'The reason in words, such as "flips between 3 texts"' }),
  text: Type.String({ description: 'An example: what it was when it changed last' }),
  path: Type.String({ description: 'The headings above it, or the path of a JSON value' }),
  since: Time,
  changes: Type.Integer({ description: 'How many of its changes notified no one' }),
  undone: Undone,
})
export const MutedList = Type.Object({ items: Type.Array(Muted) })
export const MutedParams = Type.Object({ id: Id, block: Type.String({ maxLength: 40 }) })
export const MutedChange = Type.Object({ undone: Undone }, { additionalProperties: false })

export const PriceList = Type.Object({
  items: Type.Array(
    Type.Object({
      part: Type.String({
        description: 'Empty for what the page declares, else the key of a part that somebody watches',
      }),
      points: Type.Array(
        Type.Object({
          version: Id,
          at: Time,
          amount: Type.Union([Type.Number(), Type.Null()]),
          currency: Type.String(),
          availability: oneOf(['in-stock', 'out-of-stock', 'limited', 'preorder', 'unknown']),
        }),
      ),
    }),
  ),
})

export const Document = Type.Object({
  id: Id,
  url: Type.String(),
  host: Type.String(),
  title: Type.String(),
  firstAt: Time,
  checkedAt: Time,
  outcome: Type.String(),
  status: Type.Integer(),
  location: Type.String(),
  current: Type.Union([Version, Type.Null()]),
})
export const DocumentList = listOf(Document)
export const DocumentQuery = Type.Object({ url: Type.Optional(Type.String({ maxLength: 20_000 })), ...pageQuery })

const versionNumber = (without: string) =>
  Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: `Version number; defaults to ${without}` })

const pairQuery = {
  from: Type.Optional(versionNumber('the previous version')),
  to: Type.Optional(versionNumber('the latest version')),
}

export const PairQuery = Type.Object(pairQuery)
export const DiffQuery = Type.Object({
  ...pairQuery,
  form: Type.Optional(oneOf(['lines', 'words'], { default: 'lines' })),
  context: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 3 })),
  raw: Type.Optional(Type.Boolean({ default: false, description: 'Compare the source instead of the text' })),
  ignoreSpace: Type.Optional(Type.Boolean({ default: false })),
  ignored: Type.Optional(
    oneOf(['hide', 'show'], {
      default: 'hide',
      description: "Whether to hide or show text that the caller's profiles ignore",
    }),
  ),
  format: Type.Optional(
    oneOf(['json', 'patch', 'page'], {
      description: '`page`: the later version as an HTML page with the changes highlighted',
    }),
  ),
})
const Pieces = Type.Array(Type.Object({ kind: oneOf(['same', 'removed', 'added']), text: Type.String() }))
export const ChangeItem = Type.Object({
  kind: oneOf(['added', 'removed', 'changed', 'moved']),
  block: oneOf(['title', 'heading', 'paragraph', 'item', 'row', 'entry', 'value', 'line']),
  path: Type.String({ description: 'The headings above it, the path of a JSON value, or the title of a feed entry' }),
  before: Type.Optional(Type.String({ description: 'The text of the block in the older version' })),
  after: Type.Optional(Type.String({ description: 'The text of the block in the newer version' })),
  pieces: Type.Optional(Pieces),
  place: Type.String({ description: 'The elements around it, with ids and classes' }),
  key: Type.String({ description: 'The path of a JSON value, the id of a feed entry' }),
  title: Type.Optional(Type.String()),
  link: Type.Optional(Type.String()),
  ignore: Type.Optional(
    Type.Object(
      {
        ignore: Type.Optional(Type.String({ description: 'An expression for `interests.ignore` of a profile' })),
        omit: Type.Optional(Type.String({ description: 'A selector for `omit` of a source' })),
      },
      { description: 'How to ignore this block; only for the first 200' },
    ),
  ),
  from: Type.Integer({ description: 'Number of the block in the older version, from 0; -1 if it is new' }),
  to: Type.Integer({ description: 'Number of the block in the newer version, from 0; -1 if it is gone' }),
})
export const ChangeLineItem = Type.Object({
  text: Type.String(),
  parts: Type.Array(Type.Object({ kind: oneOf(['same', 'removed', 'added', 'sign']), text: Type.String() })),
  more: Type.Integer({ description: 'Number of changes that the line does not mention' }),
})
const Counted = Type.Object({ added: Type.Integer(), removed: Type.Integer() })
export const Diff = Type.Object({
  url: Type.String(),
  document: Id,
  from: Version,
  to: Version,
  ignoring: Type.Integer({ description: 'Number of expressions whose matches were ignored' }),
  tooExpensive: Type.Boolean({
    description: 'True: the expressions took too much work on this page; nothing is ignored',
  }),
  profiles: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: "The caller's profiles with a source that covers the document",
  }),
  compared: oneOf(['text', 'source', 'bytes']),
  form: oneOf(['lines', 'words']),
  equal: Type.Boolean(),
  coarse: Type.Boolean(),
  lines: Counted,
  words: Counted,
  changes: Type.Array(ChangeItem, { description: 'What changed, block by block; only the first of very many' }),
  changeCount: Type.Integer({ description: 'Number of all changes' }),
  line: ChangeLineItem,
  hunks: Type.Array(
    Type.Object({
      fromLine: Type.Integer(),
      fromCount: Type.Integer(),
      toLine: Type.Integer(),
      toCount: Type.Integer(),
      pieces: Pieces,
    }),
  ),
})

const Screenshot = Type.Union(
  [
    Type.Object({
      version: Id,
      n: Type.Integer(),
      url: Type.String({ description: 'Path of the picture, a PNG image' }),
      width: Type.Integer(),
      height: Type.Integer(),
    }),
    Type.Null(),
  ],
  { description: 'Null if no screenshot is kept' },
)
export const Screenshots = Type.Object({
  from: Type.Integer(),
  to: Type.Integer(),
  before: Screenshot,
  after: Screenshot,
  difference: Type.Union([Type.String(), Type.Null()], {
    description: 'Path of the later picture in grey, with the differences in red; null if there are no two to compare',
  }),
  changedShare: Type.Union([Type.Number(), Type.Null()], { description: 'From 0 to 1' }),
  boxes: Type.Array(
    Type.Object({ x: Type.Integer(), y: Type.Integer(), width: Type.Integer(), height: Type.Integer() }),
    { description: 'Around the differences, in pixels; at most 50' },
  ),
})
export const ScreenshotParams = Type.Object({ id: Id, picture: oneOf(['before', 'after', 'difference']) })

export const Link = Type.Object({
  url: Type.String(),
  document: Type.Union([Id, Type.Null()], { description: 'Null if it is not archived or not visible to the caller' }),
})
export const LinkList = listOf(Link)

export const SearchQuery = Type.Object({
  q: Type.String({ minLength: 1, maxLength: 1000 }),
  ...pageQuery,
})
export const SearchHit = Type.Object({
  url: Type.String(),
  document: Id,
  version: Id,
  n: Type.Integer(),
  at: Time,
  title: Type.String(),
  titleMarks: Type.Array(Mark),
  snippet: MarkedText,
  score: Type.Number(),
})
export const SearchResult = Type.Object({
  items: Type.Array(SearchHit),
  next: Type.Union([Type.String(), Type.Null()]),
  facets: Type.Object({
    sources: Type.Array(Type.Object({ host: Type.String(), count: Type.Integer() })),
    times: Type.Array(Type.Object({ period: oneOf(['day', 'week', 'month', 'year', 'older']), count: Type.Integer() })),
  }),
  tookMs: Type.Number(),
})
