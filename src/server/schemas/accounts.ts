import { Type } from 'typebox'
import { roles, themes, tokenScopes } from '../../core/account.ts'
import { Id, MaybeTime, oneOf, orNull, Time } from './common.ts'

export const serviceLevels = ['gold', 'silver', 'bronze'] as const

export const Email = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@,]+@[^\\s@,]+$' })
export const Password = Type.String({ minLength: 8, maxLength: 1000 })
const Name = Type.String({ maxLength: 200 })
const TimeZone = Type.String({ maxLength: 60, description: "IANA name; empty for the browser's time zone" })

const notifications = {
  quiet: orNull(
    Type.Object(
      { from: Type.String({ maxLength: 20 }), to: Type.String({ maxLength: 20 }) },
      { additionalProperties: false, description: 'Hours of the day in which nothing is sent, such as 22:00 to 07:00' },
    ),
  ),
  urgentFrom: orNull(Type.Number({ description: 'From this urgency on, messages wait for nothing' })),
  perHour: orNull(Type.Integer({ description: 'Messages per hour on each channel; the rest follows in one digest' })),
}
export const Notifications = Type.Object(notifications, { description: 'For profiles that say nothing themselves' })

export const User = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  role: oneOf(roles),
  level: oneOf(serviceLevels),
  disabled: Type.Boolean(),
  createdAt: Time,
})

export const Me = Type.Object({
  ...User.properties,
  timeZone: Type.String(),
  shortcuts: Type.Boolean(),
  theme: oneOf(themes),
  notifications: Notifications,
})

export const SignIn = Type.Object(
  { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
)
/** How the caller is authenticated: by a session cookie or by a token. */
export const SessionState = Type.Object({ user: Me, via: oneOf(['session', 'token']) })

export const SetupState = Type.Object({ needed: Type.Boolean() })
export const Setup = Type.Object(
  { key: Type.String({ minLength: 1, maxLength: 200 }), email: Email, password: Password, name: Type.Optional(Name) },
  { additionalProperties: false },
)

export const MeChanges = Type.Object(
  {
    name: Type.Optional(Name),
    timeZone: Type.Optional(TimeZone),
    shortcuts: Type.Optional(Type.Boolean()),
    theme: Type.Optional(oneOf(themes)),
    notifications: Type.Optional(
      Type.Partial(Notifications, {
        additionalProperties: false,
        description: 'Values left out are kept; null for none',
      }),
    ),
  },
  { additionalProperties: false },
)
export const PasswordChange = Type.Object(
  { current: Type.String({ maxLength: 1000 }), password: Password },
  { additionalProperties: false },
)

export const SessionItem = Type.Object({
  id: Id,
  createdAt: Time,
  seenAt: Time,
  expiresAt: Time,
  agent: Type.String(),
  address: Type.String(),
  current: Type.Boolean(),
})

export const Token = Type.Object({
  id: Id,
  name: Type.String(),
  scopes: Type.Array(oneOf(tokenScopes)),
  createdAt: Time,
  usedAt: MaybeTime,
  expiresAt: MaybeTime,
})
export const TokenDraft = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    scopes: Type.Optional(Type.Array(oneOf(tokenScopes), { minItems: 1, maxItems: 3, uniqueItems: true })),
    expiresAt: Type.Optional(MaybeTime),
  },
  { additionalProperties: false },
)
/** The secret is shown only once. */
export const NewToken = Type.Object({ ...Token.properties, token: Type.String() })

export const UserDraft = Type.Object(
  {
    email: Email,
    password: Password,
    name: Type.Optional(Name),
    role: Type.Optional(oneOf(roles)),
    level: Type.Optional(oneOf(serviceLevels)),
  },
  { additionalProperties: false },
)
export const UserChanges = Type.Object(
  {
    name: Type.Optional(Name),
    role: Type.Optional(oneOf(roles)),
    level: Type.Optional(oneOf(serviceLevels)),
    disabled: Type.Optional(Type.Boolean()),
    password: Type.Optional(Password),
  },
  { additionalProperties: false },
)
