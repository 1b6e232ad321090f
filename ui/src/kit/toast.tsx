import './toast.css'
import { useSyncExternalStore } from 'react'
import { messageOf } from '../api/client.ts'
import { Button, IconButton } from './button.tsx'
import { strings } from './strings.ts'

/** One message at a time, the newest. It disappears by itself; the undo it offers stays on the `u` key. */
type Toast = { id: number; text: string; tone: 'plain' | 'danger'; undo?: () => void }

const PLAIN_MS = 6000
const ERROR_MS = 10_000

let toast: Toast | null = null
let lastId = 0
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function put(next: Toast | null): void {
  toast = next
  clearTimeout(timer)
  if (next !== null) timer = setTimeout(() => put(null), next.tone === 'danger' ? ERROR_MS : PLAIN_MS)
  for (const notify of listeners) notify()
}

export function showToast(text: string, options: { tone?: Toast['tone']; undo?: () => void } = {}): void {
  lastId += 1
  put({ id: lastId, text, tone: options.tone ?? 'plain', ...(options.undo && { undo: options.undo }) })
}

/** Shows why a request failed; fits `onError` and `catch`. */
export function showError(error: unknown): void {
  showToast(messageOf(error), { tone: 'danger' })
}

export function hideToast(): void {
  put(null)
}

function watchToast(notify: () => void): () => void {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

/** Rendered once, by the app. */
export function Toasts() {
  const shown = useSyncExternalStore(watchToast, () => toast)
  return (
    <div className="kit-toasts" role="status" aria-live="polite">
      {shown !== null && (
        <div key={shown.id} className={`kit-toast tone-${shown.tone}`}>
          <span className="kit-toast-text">{shown.text}</span>
          {shown.undo !== undefined && (
            <Button
              label={strings.undo}
              small
              variant="quiet"
              icon="undo"
              onClick={() => {
                hideToast()
                shown.undo?.()
              }}
            />
          )}
          <IconButton icon="close" label={strings.dismiss} tip="end" onClick={hideToast} />
        </div>
      )}
    </div>
  )
}
