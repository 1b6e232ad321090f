import { ApiError, messageOf } from '../api/client.ts'
import { sentenceOf } from '../kit/strings.ts'

/** What the server says about one field of the body, which it names as `body.name`, `body/name` or `name`. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const detail = error.details.find(({ place }) => place.replace(/^\/?body[./]/, '').replace(/^\//, '') === field)
  return detail === undefined ? undefined : sentenceOf(detail.message)
}

/** The error as a whole, unless one of the `fields` shows it already. */
export function formError(error: Error | null, fields: readonly string[] = []): string | undefined {
  if (error === null || fields.some((field) => fieldError(error, field) !== undefined)) return undefined
  return sentenceOf(messageOf(error))
}
