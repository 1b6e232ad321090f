import { useRef, useState } from 'react'
import { useLive } from '../live/use-live.ts'

const GATHER_MS = 2000

/** Tells screen readers of arrivals, several at once when they come close together. */
export function ArrivalTeller() {
  const [text, setText] = useState('')
  const waiting = useRef<string[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLive('annotation', ({ title, source }) => {
    waiting.current.push(title === '' ? source : title)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const titles = waiting.current
      waiting.current = []
      setText(titles.length === 1 ? `New in the inbox: ${titles[0]}` : `${titles.length} new in the inbox`)
    }, GATHER_MS)
  })
  return (
    <div className="only-heard" role="status" aria-live="polite">
      {text}
    </div>
  )
}
