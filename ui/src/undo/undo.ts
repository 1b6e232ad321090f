import { hideToast, showToast } from '../kit/toast-store.ts'

/**
 * What was done can be taken back, the newest first, by the toast or by `u`. An entry is used once, and is
 * never dropped by time.
 */
type Entry = { text: string; run: () => void | Promise<void> }

const MAX_ENTRIES = 50
const entries: Entry[] = []

/** Tells what was done and keeps how to take it back. */
export function didWithUndo(text: string, run: Entry['run']): void {
  const entry = { text, run }
  entries.push(entry)
  if (entries.length > MAX_ENTRIES) entries.shift()
  showToast(text, { undo: () => void takeBack(entry) })
}

async function takeBack(entry: Entry): Promise<void> {
  const at = entries.indexOf(entry)
  if (at < 0) return
  entries.splice(at, 1)
  hideToast()
  try {
    await entry.run()
    showToast(`Taken back: ${entry.text}`)
  } catch {
    showToast(`Could not be taken back: ${entry.text}`, { tone: 'bad' })
  }
}

export function undoLast(): void {
  const entry = entries.at(-1)
  if (entry === undefined) showToast('There is nothing to undo.')
  else void takeBack(entry)
}
