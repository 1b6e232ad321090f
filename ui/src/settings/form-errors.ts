import { ApiError, messageOf } from '../api/client.ts'
import { sentenceOf } from '../kit/strings.ts'

/** The server's message about one field of the body, which it calls `body.name`, `body/name` or `name`. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const detail = error.details.find(({ place }) => place.replace(/^\/?body[./]/, '').replace(/^\//, '') === field)
  return detail === undefined ? undefined : sentenceOf(detail.message)
}

/** The message of the whole error, unless one of the `fields` already shows it. */
export function formError(error: Error | null, fields: readonly string[] = []): string | undefined {
  if (error === null || fields.some((field) => fieldError(error, field) !== undefined)) return undefined
  return sentenceOf(messageOf(error))
}
