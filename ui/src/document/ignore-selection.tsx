import './ignore.css'
import { type RefObject, useState } from 'react'
import type { Diff } from '../api/types.ts'
import { useShortcuts } from '../keyboard/use-shortcuts.ts'
import { Button } from '../kit/button.tsx'
import { showToast } from '../kit/toast-store.ts'
import { IgnoreDialog } from './ignore-dialog.tsx'
import type { SelectedText } from './ignore-pattern.ts'
import { useTextSelection } from './use-text-selection.ts'

type Props = { diff: Diff; text: RefObject<HTMLDivElement | null> }

/** Beside what is selected of a comparison: a way never to see it again. */
export function IgnoreSelection({ diff, text }: Props) {
  const { selection, hold } = useTextSelection(text)
  const [chosen, setChosen] = useState<SelectedText | null>(null)
  const choose = (): void => {
    if (selection === null) {
      showToast('Select the text to ignore first.')
      return
    }
    // Selected, it would shine through the dialog; the text is where the focus comes back to.
    document.getSelection()?.removeAllRanges()
    text.current?.focus({ preventScroll: true })
    setChosen(selection)
  }
  useShortcuts('Document', [{ keys: 'i', label: 'Ignore the selected text from now on', run: choose }])
  return (
    <>
      {selection !== null && (
        <div
          className="document-ignore"
          style={{ top: selection.bottom, left: `clamp(0px, ${selection.left}px, 100% - 15rem)` }}
        >
          <Button
            small
            look="primary"
            icon="mute"
            onPointerDown={(event) => {
              event.preventDefault()
              hold()
            }}
            onMouseDown={(event) => event.preventDefault()}
            onClick={choose}
          >
            Ignore this from now on
          </Button>
        </div>
      )}
      {chosen !== null && (
        <IgnoreDialog
          document={String(diff.document)}
          profiles={diff.profiles}
          selected={chosen}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  )
}
