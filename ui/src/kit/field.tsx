import './field.css'
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react'

type FieldIds = { id: string; describedBy: string | undefined; invalid: boolean }
const FieldContext = createContext<FieldIds | null>(null)

/** Props for an input inside a Field, so that screen readers announce its label, hint and error. */
export function useFieldProps(): { id?: string; 'aria-describedby'?: string; 'aria-invalid'?: true } {
  const field = useContext(FieldContext)
  if (field === null) return {}
  return {
    id: field.id,
    ...(field.describedBy !== undefined && { 'aria-describedby': field.describedBy }),
    ...(field.invalid && { 'aria-invalid': true }),
  }
}

type Props = { label: ReactNode; hint?: ReactNode; error?: string | undefined; children: ReactNode }

export function Field({ label, hint, error, children }: Props) {
  const id = useId()
  const hintId = hint === undefined ? undefined : `${id}-hint`
  const errorId = error === undefined ? undefined : `${id}-error`
  const describedBy = [hintId, errorId].filter(Boolean).join(' ') || undefined
  return (
    <FieldContext value={{ id, describedBy, invalid: error !== undefined }}>
      <div className="kit-field">
        <label className="kit-field-label" htmlFor={id}>
          {label}
        </label>
        {children}
        {hint !== undefined && (
          <p className="kit-field-hint" id={hintId}>
            {hint}
          </p>
        )}
        <FieldError id={errorId} text={error} />
      </div>
    </FieldContext>
  )
}

export function FieldError({ text, id }: { text: string | undefined; id?: string | undefined }) {
  if (text === undefined) return null
  return (
    <p className="kit-field-error" id={id} role="alert">
      {text}
    </p>
  )
}

/** Sends nothing itself: the page stays and `onSubmit` takes over. */
export function Form({ onSubmit, ...rest }: Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit: () => void }) {
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    />
  )
}
