import { Type } from 'typebox'
import { channelStates } from '../../store/contracts/channels.ts'
import { messageStates } from '../../store/contracts/deliveries.ts'
import { Id, listOf, MaybeTime, oneOf, orNull, Time } from './common.ts'

export const ChannelParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

export const FeedUrls = Type.Object({ atom: Type.String(), rss: Type.String(), json: Type.String() })

/** Checked by the kind's own fields, so that all errors are reported together. */
const GivenSettings = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'As `/channel-kinds` lists them',
})

export const ChannelDraft = Type.Object(
  {
    kind: Type.String({ maxLength: 40, description: 'One of `/channel-kinds`' }),
    name: Type.String({ maxLength: 400, description: 'At most 100 characters' }),
    settings: Type.Optional(GivenSettings),
  },
  {
    additionalProperties: false,
    examples: [{ kind: 'webhook', name: 'ops', settings: { url: 'https://hooks.example.org/erace' } }],
  },
)

export const ChannelChanges = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 400 })),
    settings: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        ...GivenSettings,
        description: 'All settings; secrets that are left out keep their values',
      }),
    ),
    state: Type.Optional(oneOf(['active', 'off'])),
  },
  { additionalProperties: false, minProperties: 1, examples: [{ state: 'off' }] },
)

export const Channel = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  state: oneOf(channelStates, {
    description: '`failing`: several messages in a row did not arrive; tried again from `retryAt` on',
  }),
  reason: Type.String({ description: 'Why the last message did not arrive; empty if it did' }),
  failures: Type.Integer({ description: 'In a row' }),
  retryAt: MaybeTime,
  sentAt: MaybeTime,
  createdAt: Time,
  settings: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Without secrets: `hasSecret: true` stands for a `secret` that is stored',
  }),
  waiting: Type.Integer({ description: 'Annotations and messages that have not left' }),
  nextAt: MaybeTime,
  profiles: Type.Array(Type.String(), { description: 'Ids of your profiles that use it' }),
  feedUrls: Type.Optional(FeedUrls),
})

const warnings = Type.Optional(
  Type.Array(Type.String(), {
    description: "Said once, when it is saved: what is stored but can't work at the moment",
  }),
)
export const SavedChannel = Type.Object({ ...Channel.properties, warnings })
export const NewChannel = Type.Object({
  ...SavedChannel.properties,
  secret: Type.Optional(Type.String({ description: 'Made because none was given; shown this once' })),
})

export const ChannelKind = Type.Object({
  kind: Type.String(),
  label: Type.String(),
  about: Type.String(),
  isPull: Type.Optional(Type.Boolean({ description: 'Readers fetch it; nothing is sent' })),
  isByBrowser: Type.Optional(Type.Boolean({ description: 'Settings come from the browser when you subscribe' })),
  publicKey: Type.Optional(Type.String({ description: 'Which the browser subscribes with' })),
  settings: Type.Array(
    Type.Object({
      name: Type.String(),
      label: Type.String(),
      hint: Type.Optional(Type.String()),
      type: oneOf(['text', 'secret', 'url', 'email', 'number', 'flag', 'choice', 'lines', 'long']),
      isRequired: Type.Optional(Type.Boolean()),
      choices: Type.Optional(Type.Array(Type.String())),
      usual: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    }),
  ),
})

export const TestResult = Type.Object(
  {
    outcome: oneOf(['delivered', 'later', 'never']),
    answer: Type.String({ description: 'What the other side said, or why it could not be reached' }),
  },
  { examples: [{ outcome: 'delivered', answer: '200 OK' }] },
)

export const NextMessage = Type.Object({
  next: orNull(
    Type.Object({
      at: Time,
      kind: oneOf(['single', 'digest', 'test']),
      subject: Type.String(),
      text: Type.String({ description: 'The message as plain text' }),
      items: Type.Array(
        Type.Object({
          annotation: Id,
          profile: Type.String(),
          title: Type.String(),
          url: Type.String(),
          summary: Type.String(),
          urgency: Type.Number(),
          relevance: Type.Number(),
          alsoAt: Type.Array(Type.String()),
        }),
      ),
      leftOut: Type.Integer({ description: 'Annotations that are counted, but not listed' }),
      later: Type.Integer({ description: 'Annotations that leave with a later message' }),
    }),
  ),
})

export const Delivery = Type.Object({
  id: Type.String({ description: 'Stays the same when it is sent again' }),
  channel: Type.String(),
  kind: oneOf(['single', 'digest', 'test']),
  state: oneOf(messageStates),
  subject: Type.String(),
  attempts: Type.Integer(),
  createdAt: Time,
  at: MaybeTime,
  answer: Type.String({ description: 'What the other side said, or why it failed' }),
  annotations: Type.Array(Id),
  profiles: Type.Array(Type.String()),
  leftOut: Type.Integer({ description: 'How many of the annotations, the last ones, were counted and not listed' }),
})

const place = Type.String({ maxLength: 400, description: 'The `next` value of the previous page' })
export const DeliveryQuery = Type.Object({
  state: Type.Optional(oneOf(messageStates)),
  channel: Type.Optional(Type.String({ maxLength: 64 })),
  before: Type.Optional(place),
  cursor: Type.Optional(Type.String({ maxLength: 400, description: 'The same as `before`' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
})

export const ChannelList = listOf(Channel)
export const KindList = listOf(ChannelKind)
export const DeliveryList = listOf(Delivery)
