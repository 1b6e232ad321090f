import './dialog.css'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button, IconButton } from './button.tsx'
import { FieldError, Form } from './field.tsx'
import type { IconName } from './icon.tsx'
import { strings } from './strings.ts'

/** The first field, else the title, but never the close button. */
const initialFocus = '.kit-dialog-body :is(input, textarea, select), .kit-dialog-title'

type Props = { title: string; onClose: () => void; children: ReactNode; actions?: ReactNode; wide?: boolean }

/** Open while rendered. The browser traps focus and restores it; Escape or a click outside closes it. */
export function Dialog({ title, onClose, children, actions, wide = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>(initialFocus)?.focus()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className={wide ? 'kit-dialog kit-dialog-wide' : 'kit-dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div className="kit-dialog-box">
        <header className="kit-dialog-head">
          <h2 id={titleId} className="kit-dialog-title" tabIndex={-1}>
            {title}
          </h2>
          <IconButton icon="close" label={strings.close} tip="end" onClick={onClose} />
        </header>
        <div className="kit-dialog-body">{children}</div>
        {actions !== undefined && <footer className="kit-dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  )
}

type ConfirmProps = Omit<Props, 'actions'> & {
  /** Names the action, as in "Delete 12 watches". */
  confirm: string
  onConfirm: () => void
  disabled: boolean
  /** Why the action failed. */
  error?: string | false | undefined
  variant?: 'danger' | 'primary'
  icon?: IconName
  /** Returns to the previous step; replaces the cancel button. */
  onBack?: (() => void) | undefined
}

/** Asks for confirmation, or for the input an action needs. */
export function ConfirmDialog({
  confirm,
  onConfirm,
  disabled,
  error,
  variant = 'danger',
  icon,
  onBack,
  ...rest
}: ConfirmProps) {
  const formId = useId()
  return (
    <Dialog
      {...rest}
      actions={
        <>
          {onBack === undefined ? (
            <Button label={strings.cancel} onClick={rest.onClose} />
          ) : (
            <span className="kit-dialog-back">
              <Button label={strings.back} variant="quiet" icon="back" onClick={onBack} />
            </span>
          )}
          <Button label={confirm} type="submit" form={formId} variant={variant} icon={icon} disabled={disabled} />
        </>
      }
    >
      <Form id={formId} className="kit-form" onSubmit={onConfirm}>
        {rest.children}
        <FieldError text={error || undefined} />
      </Form>
    </Dialog>
  )
}
