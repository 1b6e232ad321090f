import { Type } from 'typebox'
import { cadenceExamples } from '../../core/delivery/cadence.ts'
import { amounts, aspects, matches, methods } from '../../core/profile.ts'
import { renders } from '../../core/url/access.ts'
import { Id, MarkedText, oneOf, orNull, Time } from './common.ts'
import { Explanation } from './inbox.ts'

/** Only the outermost shape; the profile reader validates the rest and reports all errors together. */
export const ProfileBody = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'A profile: name, sources, interests, urgency, amount, delivery, paused',
})

const Window = Type.Object({
  zone: Type.String(),
  days: Type.Array(Type.Integer()),
  from: Type.String(),
  to: Type.String(),
})

const Delivery = Type.Object({
  channels: Type.Array(Type.String(), { description: 'inbox, and ids of your channels' }),
  cadence: Type.String({ description: cadenceExamples }),
  quiet: orNull(
    Type.Object(
      { zone: Type.String(), from: Type.String(), to: Type.String() },
      { description: "Hours in which nothing is sent; an empty zone is your account's" },
    ),
  ),
  perHour: orNull(Type.Integer({ description: 'Messages per hour on each channel; the rest follows in one digest' })),
  urgentFrom: orNull(Type.Number({ description: 'From this urgency on, messages wait for nothing' })),
  escalation: orNull(
    Type.Object(
      { channel: Type.String(), after: Type.String(), urgency: Type.Number() },
      { description: 'Another channel for annotations this urgent that were not read in time' },
    ),
  ),
})

export const Profile = Type.Object({
  id: Type.String(),
  name: Type.String(),
  paused: Type.Boolean(),
  sources: Type.Array(
    Type.Object({
      uri: Type.String(),
      every: Type.String(),
      everyMax: Type.Optional(Type.String()),
      depth: Type.Integer(),
      scope: Type.Union([Type.String(), Type.Object({ pattern: Type.String() })]),
      process: oneOf(['filter', 'track', 'archive']),
      window: Type.Optional(Window),
      select: Type.Array(Type.String(), {
        description:
          'Parts of the page to compare; empty for all. CSS, XPath, JSONPath, or /pattern/ for lines of text',
      }),
      omit: Type.Array(Type.String(), { description: 'Parts of the page to leave out' }),
      aspects: Type.Array(oneOf(aspects), { description: 'What counts as a change' }),
      conditions: Type.Array(Type.String(), {
        description: 'On prices and numbers, e.g. "below 30"; a change counts if one of them holds',
      }),
      render: oneOf(renders, { description: 'browser: for web pages that need their scripts' }),
      credentials: Type.String({ description: 'Name of stored credentials to sign in with; empty for none' }),
      method: oneOf(methods, { description: 'push: the source tells of news by itself, where its protocol can' }),
    }),
  ),
  interests: Type.Object({
    keywords: Type.Array(Type.Object({ key: Type.String(), weight: Type.Number() })),
    exclude: Type.Array(Type.String()),
    expression: Type.String(),
    threshold: Type.Number(),
    stemming: Type.String({
      description:
        "Match word forms: a language such as `en`, `auto` for the language of the document, `zh` for traditional and simplified Chinese, '' for words as they are spelled",
    }),
    scorer: Type.String(),
    ignore: Type.Array(Type.String(), { description: 'Regular expressions: parts of pages to ignore when comparing' }),
    match: oneOf(matches, { description: 'Whether interests are matched against what changed or the whole page' }),
  }),
  urgency: Type.Number(),
  amount: oneOf(amounts),
  delivery: Delivery,
  warnings: Type.Optional(
    Type.Array(Type.String(), { description: "Said once, when it is saved: what is stored but can't work here" }),
  ),
})

export const PreviewExample = Type.Object({
  url: Type.String(),
  document: Id,
  version: Id,
  n: Type.Integer(),
  at: Time,
  title: Type.String(),
  relevance: Type.Number(),
  summary: MarkedText,
  explanation: Explanation,
})
/** Matched against documents visible to the caller; nothing is stored. */
export const Preview = Type.Object({
  documents: Type.Integer({
    description: 'Documents compared with the profile; where its interests ask for the change, their last changes',
  }),
  matched: Type.Integer(),
  covered: Type.Boolean({
    description: "True: documents of the profile's sources; false: all documents visible to the caller",
  }),
  examples: Type.Array(PreviewExample),
  nearMisses: Type.Array(PreviewExample, { description: 'Relevant, but below the threshold' }),
  end: oneOf(['all', 'count', 'time']),
  tookMs: Type.Number(),
})
