import { ApiError, messageOf } from '../api/client.ts'

/** What the server says about one field of the body, which it names as `body.name`, `body/name` or `name`. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const detail = error.details.find(({ place }) => place.replace(/^\/?body[./]/, '').replace(/^\//, '') === field)
  return detail === undefined ? undefined : sentence(detail.message)
}

/** The error as a whole, unless one of the `fields` shows it already. */
export function FormError({ error, fields = [] }: { error: unknown; fields?: readonly string[] }) {
  if (error === null || fields.some((field) => fieldError(error, field) !== undefined)) return null
  return (
    <p className="kit-field-error" role="alert">
      {sentence(messageOf(error))}
    </p>
  )
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
