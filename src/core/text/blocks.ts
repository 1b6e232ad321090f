import type { Block, Blocks } from '../change/change.ts'
import { documentText } from './document-text.ts'
import type { OmitRules } from './omit-rules.ts'

export type BlockSource = { contentType: string | undefined; omit?: OmitRules | null | undefined }

/** What a reader sees of a document, block by block; null where its media type has no text. */
export function readBlocks(body: Uint8Array, source: BlockSource): Blocks | null {
  const text = documentText(body, { ...source, lines: true })
  if (text === null) return null
  const lines = text.split('\n').filter((line) => line !== '')
  const blocks = lines.map((line): Block => ({ kind: 'line', text: line, trail: [], key: '', place: '', level: 0 }))
  return { kind: 'text', title: '', blocks, isCut: false }
}

/** All of its text, a line for each block. */
export function textOfBlocks({ blocks }: Blocks): string {
  return blocks.map(({ text }) => text).join('\n')
}
