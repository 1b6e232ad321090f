import type { Change } from './change.ts'

/** A line for the inbox, and what it says: marks for what came, what went, and what is only context. */
export type ChangeLine = {
  /** As text alone: `€ 39.90 → € 34.50 · In stock → Only 3 left`. */
  readonly text: string
  /** The same in parts, for pages that can strike through and colour. They join to `text`. */
  readonly parts: readonly LinePart[]
  /** How many changes are not told. */
  readonly more: number
}
export type LinePart = { readonly kind: 'same' | 'removed' | 'added' | 'sign'; readonly text: string }

/** The most important of the changes, old → new. */
export function changeLine(changes: readonly Change[]): ChangeLine {
  const parts: LinePart[] = []
  for (const { kind, before, after } of changes.slice(0, 2)) {
    if (parts.length > 0) parts.push({ kind: 'sign', text: ' · ' })
    if (kind === 'added') parts.push({ kind: 'sign', text: '+ ' })
    if (before !== undefined) parts.push({ kind: 'removed', text: before.slice(0, 100) })
    if (kind === 'changed') parts.push({ kind: 'sign', text: ' → ' })
    if (after !== undefined) parts.push({ kind: 'added', text: after.slice(0, 100) })
  }
  return { text: parts.map(({ text }) => text).join(''), parts, more: Math.max(0, changes.length - 2) }
}
