import './dialog.css'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'

/** The first field, else the title: not the button that closes it. */
const firstPlace = '.kit-dialog-body :is(input, textarea, select), .kit-dialog-title'

type Props = { title: string; onClose: () => void; children: ReactNode; actions?: ReactNode; wide?: boolean }

/**
 * Shown as long as it is rendered. The browser keeps the focus inside and gives it back; Escape and a press beside it
 * close it.
 */
export function Dialog({ title, onClose, children, actions, wide = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>(firstPlace)?.focus()
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
          <IconButton icon="close" label="Close" tip="end" onClick={onClose} />
        </header>
        <div className="kit-dialog-body">{children}</div>
        {actions !== undefined && <footer className="kit-dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  )
}

type ConfirmProps = {
  title: string
  /** What will happen, in full. */
  children: ReactNode
  /** The action by its name, as "Delete 12 watches". */
  confirm: string
  onConfirm: () => void
  onCancel: () => void
  busy?: boolean
}

export function ConfirmDialog({ title, children, confirm, onConfirm, onCancel, busy = false }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>Keep everything as it is</Button>
          <Button look="danger" onClick={onConfirm} disabled={busy}>
            {confirm}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
