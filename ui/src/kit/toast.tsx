import './toast.css'
import { useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { strings } from './strings.ts'
import { currentToast, hideToast, watchToast } from './toast-store.ts'

/** Rendered once, by the app. */
export function Toasts() {
  const toast = useSyncExternalStore(watchToast, currentToast)
  return (
    <div className="kit-toasts" role="status" aria-live="polite">
      {toast !== null && (
        <div key={toast.id} className={`kit-toast kit-toast-${toast.tone}`}>
          <span className="kit-toast-text">{toast.text}</span>
          {toast.undo !== undefined && (
            <Button
              small
              look="quiet"
              icon="undo"
              onClick={() => {
                hideToast()
                toast.undo?.()
              }}
            >
              {strings.undo}
            </Button>
          )}
          <IconButton icon="close" label={strings.dismiss} tip="end" onClick={hideToast} />
        </div>
      )}
    </div>
  )
}
