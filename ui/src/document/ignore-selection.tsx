import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Diff } from '../api/types.ts'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import { Button } from '../kit/button.tsx'
import { showToast } from '../kit/toast.tsx'
import { IgnoreDialog } from './ignore-dialog.tsx'
import type { SelectedText } from './ignore-pattern.ts'
import { strings } from './strings.ts'

type Props = { diff: Diff; text: RefObject<HTMLDivElement | null> }

/** Next to a selection in a comparison: a button to ignore that text from now on. */
export function IgnoreSelection({ diff, text }: Props) {
  const { selection, pin } = useTextSelection(text)
  const [chosen, setChosen] = useState<SelectedText | null>(null)
  const choose = (): void => {
    if (selection === null) {
      showToast(strings.ignore.selectFirst)
      return
    }
    // The highlight would show through the dialog; focus returns to the text afterwards.
    document.getSelection()?.removeAllRanges()
    text.current?.focus({ preventScroll: true })
    setChosen(selection)
  }
  useShortcuts(strings.keys.group, [{ keys: 'i', label: strings.keys.ignore, run: choose }])
  return (
    <>
      {selection !== null && (
        <div
          className="document-ignore"
          style={{ top: selection.bottom, left: `clamp(0px, ${selection.left}px, 100% - 15rem)` }}
        >
          <Button
            label={strings.ignore.action}
            small
            variant="primary"
            icon="mute"
            onPointerDown={(event) => {
              event.preventDefault()
              pin()
            }}
            onMouseDown={(event) => event.preventDefault()}
            onClick={choose}
          />
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

type TextSelection = SelectedText & {
  /** The end of the selection, in pixels within the element. */
  left: number
  bottom: number
}

/**
 * The selection inside an element, null while there is none. `pin` keeps it until the next press, because on some devices
 * pressing the button that acts on it clears the selection.
 */
function useTextSelection(within: RefObject<HTMLElement | null>) {
  const [selection, setSelection] = useState<TextSelection | null>(null)
  const isPinned = useRef(false)
  useEffect(() => {
    const update = (): void => {
      if (!isPinned.current) setSelection(selectionIn(within.current))
    }
    const release = (): void => {
      isPinned.current = false
    }
    document.addEventListener('selectionchange', update)
    document.addEventListener('pointerdown', release, true)
    return () => {
      document.removeEventListener('selectionchange', update)
      document.removeEventListener('pointerdown', release, true)
    }
  }, [within])
  const pin = (): void => {
    isPinned.current = true
  }
  return { selection, pin }
}

function selectionIn(element: HTMLElement | null): TextSelection | null {
  const selected = document.getSelection()
  if (element === null || selected === null || selected.isCollapsed || selected.rangeCount === 0) return null
  const range = partWithin(element, selected.getRangeAt(0))
  if (range === null) return null
  const text = { before: sideOf(range, 'ins'), after: sideOf(range, 'del') }
  if (`${text.before}${text.after}`.trim() === '') return null
  const box = element.getBoundingClientRect()
  const end = [...range.getClientRects()].at(-1) ?? range.getBoundingClientRect()
  return { ...text, left: end.left - box.left, bottom: end.bottom - box.top }
}

/** A triple click on the last line selects beyond the text; the part outside the element does not count. */
function partWithin(element: HTMLElement, selected: Range): Range | null {
  const [startsInside, endsInside] = [selected.startContainer, selected.endContainer].map((at) => element.contains(at))
  if (!startsInside && !endsInside) return null
  const range = selected.cloneRange()
  if (!startsInside) range.setStart(element, 0)
  if (!endsInside) range.setEnd(element, element.childNodes.length)
  return range
}

/** The text of one version, without what only the other has. */
function sideOf(range: Range, other: 'ins' | 'del'): string {
  const copy = range.cloneContents()
  for (const element of copy.querySelectorAll(`${other}, .document-gap`)) element.remove()
  return copy.textContent
}
