import { type ReactNode, useId } from 'react'
import { ApiError, messageOf } from '../api/client.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { strings } from './strings.ts'

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

type DialogProps = { title: string; submit: string; disabled: boolean; onSubmit: () => void; onClose: () => void }

export function FormDialog({
  title,
  submit,
  disabled,
  onSubmit,
  onClose,
  children,
}: DialogProps & { children: ReactNode }) {
  const formId = useId()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button label={strings.cancel} onClick={onClose} />
          <Button label={submit} type="submit" form={formId} variant="primary" disabled={disabled} />
        </>
      }
    >
      <form
        id={formId}
        className="kit-form"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
      </form>
    </Dialog>
  )
}
