import type { Block, Blocks } from '../change/change.ts'

/** A text of which nothing but its lines is known. */
export function blocksOfLines(text: string): Blocks {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const blocks = lines.map((line): Block => ({ kind: 'line', text: line, trail: [], key: '', place: '', level: 0 }))
  return { kind: 'text', title: '', blocks, isCut: false }
}
