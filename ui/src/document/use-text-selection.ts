import { type RefObject, useEffect, useRef, useState } from 'react'
import type { SelectedText } from './ignore-pattern.ts'

export type TextSelection = SelectedText & {
  /** Where it ends, in pixels within what it is selected in. */
  left: number
  bottom: number
}

/**
 * What is selected inside an element, null while nothing is. `hold` keeps it until the next press: to press a button that acts
 * on it takes the selection away on some screens.
 */
export function useTextSelection(within: RefObject<HTMLElement | null>) {
  const [selection, setSelection] = useState<TextSelection | null>(null)
  const isHeld = useRef(false)
  useEffect(() => {
    const look = (): void => {
      if (!isHeld.current) setSelection(selectionIn(within.current))
    }
    const release = (): void => {
      isHeld.current = false
    }
    document.addEventListener('selectionchange', look)
    document.addEventListener('pointerdown', release, true)
    return () => {
      document.removeEventListener('selectionchange', look)
      document.removeEventListener('pointerdown', release, true)
    }
  }, [within])
  const hold = (): void => {
    isHeld.current = true
  }
  return { selection, hold }
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

/** Three clicks on the last line select up to what comes behind the text: what sticks out does not count. */
function partWithin(element: HTMLElement, selected: Range): Range | null {
  const [startsInside, endsInside] = [selected.startContainer, selected.endContainer].map((at) => element.contains(at))
  if (!startsInside && !endsInside) return null
  const range = selected.cloneRange()
  if (!startsInside) range.setStart(element, 0)
  if (!endsInside) range.setEnd(element, element.childNodes.length)
  return range
}

/** One version alone: without what only the other has. */
function sideOf(range: Range, other: 'ins' | 'del'): string {
  const copy = range.cloneContents()
  for (const element of copy.querySelectorAll(`${other}, .document-gap`)) element.remove()
  return copy.textContent
}
