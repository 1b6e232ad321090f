import { ApiError, messageOf } from '../api/client.ts'

/** What the server says about one field of the body; places are as `body.name`, `body/name` or `name`. */
export function faultOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const detail = error.details.find(({ place }) => place.replace(/^\/?body[./]/, '').replace(/^\//, '') === field)
  return detail === undefined ? undefined : sentence(detail.message)
}

/** The whole, where no field is named. */
export function restOf(error: unknown, fields: readonly string[]): string | undefined {
  if (error === null || error === undefined) return undefined
  return fields.some((field) => faultOf(error, field) !== undefined) ? undefined : sentence(messageOf(error))
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
