import type { ReactNode } from 'react'

type Props = { text: string; marks: readonly (readonly [number, number])[] }

/** Marks may overlap or be out of range: they come from untrusted text. */
export function MarkedText({ text, marks }: Props) {
  const parts: ReactNode[] = []
  let at = 0
  for (const [from, to] of [...marks].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(from, at)
    const end = Math.min(to, text.length)
    if (end <= start) continue
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>)
    at = end
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}
