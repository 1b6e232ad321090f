import { useEffect, useId, useState } from 'react'
import { Icon } from '../kit/icon.tsx'
import { Input } from '../kit/input.tsx'
import { useQueryState } from '../url/query-state.ts'

const PAUSE_MS = 250

/** The address of the page follows what is typed after a pause, without a step of Back for each letter. */
export function FilterBox() {
  const id = useId()
  const [q, setQ] = useQueryState('q')
  const [text, setText] = useState(q)
  useEffect(() => setText(q), [q])
  useEffect(() => {
    if (text.trim() === q) return
    const timer = setTimeout(() => setQ(text.trim(), { replace: true }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, q, setQ])
  return (
    <div className="watches-search">
      <Icon name="search" size={18} />
      <label className="only-heard" htmlFor={id}>
        Find among the watches
      </label>
      <Input
        id={id}
        type="search"
        placeholder="Find by address, title or profile"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </div>
  )
}
