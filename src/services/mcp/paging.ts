import { type TSchema, Type } from 'typebox'
import { quoted } from './tool.ts'

const Cursor = Type.String({
  pattern: '^[1-9][0-9]{0,14}$',
  description: 'The value of `next` in the previous answer',
})
const Next = Type.Union([Type.String(), Type.Null()], {
  description: 'Pass it as `cursor` for more; null at the end',
})

/** Paging arguments of a tool that lists: limit and cursor. */
export const pageArguments = ({ usual, most }: { usual: number; most: number }) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: most,
      default: usual,
      description: `At most this many; ${usual} unless given`,
    }),
  ),
  cursor: Type.Optional(Cursor),
})

/** Output schema of such a tool. */
export function pageOf<T extends TSchema, const More extends Record<string, TSchema>>(item: T, more?: More) {
  return Type.Object({ items: Type.Array(item), ...more, next: Next })
}

export const numberOf = (cursor: string | undefined): number | null => (cursor === undefined ? null : Number(cursor))
export const cursorOf = (next: number | null): string | null => (next === null ? null : String(next))

/** The last lines of a list that has more. */
export function moreLines(next: string | null): string[] {
  return next === null ? [] : ['', `There is more: call again with cursor ${quoted(next)}.`]
}
