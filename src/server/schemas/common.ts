import { type TSchema, Type } from 'typebox'

/** ISO 8601, UTC. */
export const Time = Type.String({ format: 'date-time' })
export const MaybeTime = Type.Union([Time, Type.Null()])
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const ProfileId = Type.String({ minLength: 1, maxLength: 200 })

export const Mark = Type.Array(Type.Integer(), {
  minItems: 2,
  maxItems: 2,
  description: 'From, to, in UTF-16 code units',
})
export const MarkedText = Type.Object({ text: Type.String(), marks: Type.Array(Mark) })

export const Problem = Type.Object(
  {
    error: Type.Object({
      code: Type.String(),
      message: Type.String(),
      details: Type.Optional(Type.Array(Type.Object({ place: Type.String(), message: Type.String() }))),
    }),
  },
  { $id: 'Problem', description: 'Why the request failed' },
)

/** An optional text that can't be blank. */
export const filledText = (maxLength: number) => Type.Optional(Type.String({ maxLength, pattern: '\\S' }))

export const Nothing = Type.Null({ description: 'No content' })

const MAX_LIMIT = 200

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 400, description: 'The `next` value of the previous page' })),
}

export function listOf<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), next: Type.Union([Type.String(), Type.Null()]) })
}

/** Nullable; null means none. */
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const IdParams = Type.Object({ id: Id })
/** A choice of strings. */
export function oneOf<const T extends readonly string[]>(words: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options })
}
