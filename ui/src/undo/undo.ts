import { strings } from '../kit/strings.ts'
import { hideToast, showToast } from '../kit/toast.tsx'

/** Actions can be undone, newest first, from the toast or with `u`. Each entry works once and never expires. */
type Entry = { text: string; run: () => void | Promise<void> }

const MAX_ENTRIES = 50
const entries: Entry[] = []

/** Shows a toast for an action, and remembers how to undo it. */
export function didWithUndo(text: string, run: Entry['run']): void {
  const entry = { text, run }
  entries.push(entry)
  if (entries.length > MAX_ENTRIES) entries.shift()
  showToast(text, { undo: () => void undo(entry) })
}

async function undo(entry: Entry): Promise<void> {
  const at = entries.indexOf(entry)
  if (at < 0) return
  entries.splice(at, 1)
  hideToast()
  try {
    await entry.run()
    showToast(strings.undone(entry.text))
  } catch {
    showToast(strings.undoFailed(entry.text), { tone: 'danger' })
  }
}

export function undoLast(): void {
  const entry = entries.at(-1)
  if (entry === undefined) showToast(strings.nothingToUndo)
  else void undo(entry)
}
