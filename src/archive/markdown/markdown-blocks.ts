import { codeBlock, codeSpan, guardLine } from './markdown-text.ts'

/** Region of a page: around the text (navigation, footers), in the body, or in what the page calls its main part. */
export type Region = 0 | 1 | 2
export const around: Region = 0
export const inBody: Region = 1
export const inMain: Region = 2

/** A document in blocks. Texts are inline Markdown; a line feed in them is a line break. */
export type MarkdownBlock =
  | { kind: 'paragraph'; text: string; region: Region }
  | { kind: 'heading'; level: number; text: string; region: Region }
  | { kind: 'code'; text: string; language: string; region: Region }
  | { kind: 'rule'; region: Region }
  | { kind: 'table'; caption: string; head: readonly string[]; rows: readonly (readonly string[])[]; region: Region }
  | { kind: 'quote'; blocks: MarkdownBlock[] }
  | { kind: 'list'; isOrdered: boolean; start: number; items: MarkdownBlock[][] }

/** Writes the blocks of this region and those above it. Ends with a line feed unless empty. */
export function writeBlocks(blocks: readonly MarkdownBlock[], least: Region): string {
  const text = written(blocks, least, false).join('\n\n')
  return text === '' ? '' : `${text}\n`
}

function written(blocks: readonly MarkdownBlock[], least: Region, isOtherMark: boolean): string[] {
  const parts: string[] = []
  /** Two adjacent lists would be read as one, unless their marks differ. */
  let listBefore = isOtherMark ? 'both' : ''
  for (const block of blocks) {
    const kind = block.kind === 'list' ? (block.isOrdered ? 'ordered' : 'bullets') : ''
    const text = writeBlock(block, least, kind !== '' && (listBefore === kind || listBefore === 'both'))
    if (text === '') continue
    parts.push(text)
    listBefore = kind === '' || listBefore === kind ? '' : kind
  }
  return parts
}

function writeBlock(block: MarkdownBlock, least: Region, isOtherMark: boolean): string {
  if ('region' in block && block.region < least) return ''
  switch (block.kind) {
    case 'paragraph':
      return block.text.split('\n').map(guardLine).join('\\\n')
    case 'heading':
      return `${'#'.repeat(block.level)} ${oneLine(block.text)}`
    case 'code':
      return codeBlock(block.text, block.language)
    case 'rule':
      return '* * *'
    case 'table':
      return writeTable(block)
    case 'quote':
      return prefixed(written(block.blocks, least, false).join('\n\n'), '> ', '> ')
    case 'list':
      return writeList(block, least, isOtherMark)
  }
}

function writeList(
  { isOrdered, start, items }: Extract<MarkdownBlock, { kind: 'list' }>,
  least: Region,
  isOtherMark: boolean,
): string {
  const isTight = items.every((item) => item.every(({ kind }, n) => (n === 0 ? kind === 'paragraph' : kind === 'list')))
  const texts: string[] = []
  for (const item of items) {
    const text = written(item, least, false).join(isTight ? '\n' : '\n\n')
    if (text === '') continue
    const mark = isOrdered ? `${start + texts.length}${isOtherMark ? ')' : '.'} ` : isOtherMark ? '* ' : '- '
    texts.push(prefixed(text, mark, ' '.repeat(mark.length)))
  }
  return texts.join(isTight ? '\n' : '\n\n')
}

function prefixed(text: string, first: string, rest: string): string {
  if (text === '') return ''
  const lines = text.split('\n')
  return lines.map((line, n) => (n === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line)).join('\n')
}

function writeTable({ caption, head, rows }: Extract<MarkdownBlock, { kind: 'table' }>): string {
  const columns = head.length
  // With spaces, so that empty cells are recognised.
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, n) => cells[n] ?? '').join(' | ')} |`
  const table = [line(head), `|${' --- |'.repeat(columns)}`, ...rows.map(line)].join('\n')
  return caption === '' ? table : `**${caption}**\n\n${table}`
}

/** The text of blocks in one line, for a table cell. Bars are escaped, as they would end the cell. */
export function cellText(blocks: readonly MarkdownBlock[]): string {
  const parts: string[] = []
  for (const block of blocks) {
    if (block.kind === 'paragraph' || block.kind === 'heading') parts.push(oneLine(block.text))
    else if (block.kind === 'code') parts.push(codeSpan(block.text))
    else if (block.kind === 'quote') parts.push(cellText(block.blocks))
    else if (block.kind === 'list') parts.push(block.items.map(cellText).filter(Boolean).join('; '))
  }
  return parts
    .filter(Boolean)
    .join(' ')
    .replace(/(?<!\\)\|/g, '\\|')
}

const oneLine = (text: string): string => text.replaceAll('\n', ' ')
