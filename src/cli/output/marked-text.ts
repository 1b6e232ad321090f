import { printable } from './terminal-text.ts'

/** Soft hyphens and joiners: nobody misses them, and each would be shown as a question mark. */
const unseen = /[\u00ad\u200b-\u200d\u2060\ufeff]/g

/** Text of a document with what was found in it in bold. Each part is made harmless by itself: the codes between them are the only ones that reach the terminal. */
export function markedText(
  text: string,
  marks: readonly (readonly [from: number, to: number])[],
  isBold: boolean,
): string {
  const safe = (from: number, to: number): string => printable(text.slice(from, to).replace(unseen, ''), 1000)
  if (!isBold) return safe(0, text.length)
  let line = ''
  let at = 0
  for (const [from, to] of marks) {
    if (from < at || from >= text.length) continue
    line += `${safe(at, from)}\u001b[1m${safe(from, to)}\u001b[22m`
    at = Math.min(to, text.length)
  }
  return line + safe(at, text.length)
}
