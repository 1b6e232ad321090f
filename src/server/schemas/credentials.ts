import { Type } from 'typebox'
import { credentialKinds } from '../../services/credentials/credential-kinds.ts'
import { listOf, MaybeTime, oneOf, Time } from './common.ts'

const kind = oneOf(credentialKinds, {
  description:
    '`password`: user, password. `bearer`: token. `header`: name, value. `cookie`: cookie. `steps`: steps in a browser, user, password',
})

const MAX_VALUE = 20_000

/** Checked by the kind's own fields, so that all errors are reported together. */
const values = Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: MAX_VALUE }), {
  maxProperties: 10,
  description: 'The fields of the kind; they are in no answer',
})

export const CredentialsParams = Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{24}$' }) })

export const CredentialsDraft = Type.Object(
  { name: Type.String({ maxLength: 400, description: 'At most 100 characters; sources name it' }), kind, values },
  {
    additionalProperties: false,
    examples: [{ name: 'mailbox', kind: 'password', values: { user: 'ada', password: 'correct horse' } }],
  },
)

export const CredentialsReplacement = Type.Object(
  {
    kind,
    values: Type.Unsafe<Record<string, string>>({
      ...values,
      description: 'The fields of the kind; those that are left out keep their values if the kind stays the same',
    }),
  },
  { additionalProperties: false },
)

export const Credentials = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind,
  hint: Type.String({ description: 'A user name, or the name of a header; empty for other kinds' }),
  createdAt: Time,
  changedAt: Time,
  usedAt: MaybeTime,
  failedSince: MaybeTime,
  failure: Type.String({ description: 'Why the source refused them; empty if it did not' }),
  retryAt: MaybeTime,
  problem: Type.String({ description: "Why they can't be used at all; empty if they can" }),
  profiles: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'Your profiles that use them',
  }),
})

export const CredentialsList = listOf(Credentials)
