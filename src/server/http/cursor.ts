import { AppError } from '../../core/errors.ts'

/** Encodes where the next page of a list starts. Neither secret nor signed: a forged cursor reveals nothing that the list wouldn't. */
export function cursorOf(position: number | string): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

export function numberOfCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null
  const position = decode(cursor)
  if (typeof position !== 'number' || !Number.isSafeInteger(position) || position < 0) throw wrong()
  return position
}

export function textOfCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const position = decode(cursor)
  if (typeof position !== 'string') throw wrong()
  return position
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch (error) {
    throw wrong(error)
  }
}

function wrong(cause?: unknown): AppError {
  return new AppError('cursor-invalid', 'invalid cursor: use the `next` value of a list', { cause })
}

/** A page from a result that was read with one extra item. */
export function pageOf<T>(
  items: T[],
  limit: number,
  positionOf: (last: T) => number | string,
): { items: T[]; next: string | null } {
  if (items.length <= limit) return { items, next: null }
  const page = items.slice(0, limit)
  return { items: page, next: cursorOf(positionOf(page.at(-1)!)) }
}
