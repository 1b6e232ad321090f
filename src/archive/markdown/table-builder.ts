import { cellText, type MarkdownBlock, type Region } from './markdown-blocks.ts'

const maxColumns = 100
const maxSpan = 1000
/** A longer cell means that the table is used for layout. */
const maxCellChars = 2000

type Cell = { blocks: MarkdownBlock[]; isHead: boolean; columns: number; rows: number }

/** Collects the rows of a table. Tables are also used for layout: one with nested tables or headings is written as plain blocks. */
export type TableBuilder = {
  row(): void
  /** Starts a cell and returns its blocks. */
  cell(isHead: boolean, given: ReadonlyMap<string, string>): MarkdownBlock[]
  caption(text: string): void
  /** Notes a nested table. */
  noteTable(): void
  finish(region: Region): MarkdownBlock[]
}

export function createTable(isLayout: boolean): TableBuilder {
  const rows: Cell[][] = []
  let captionText = ''
  let isLaidOut = isLayout

  return {
    row: () => void rows.push([]),
    cell(isHead, given) {
      if (rows.length === 0) rows.push([])
      const blocks: MarkdownBlock[] = []
      rows.at(-1)!.push({ blocks, isHead, columns: spanOf(given.get('colspan')), rows: spanOf(given.get('rowspan')) })
      return blocks
    },
    caption(text) {
      captionText = text
    },
    noteTable() {
      isLaidOut = true
    },
    finish(region) {
      const cells = rows.flat()
      const caption: MarkdownBlock[] =
        captionText === '' ? [] : [{ kind: 'paragraph', text: `**${captionText}**`, region }]
      const asRuns = () => [...caption, ...cells.flatMap(({ blocks }) => blocks)]
      if (isLaidOut || cells.length < 2 || cells.some(isOfLayout)) return asRuns()
      const grid = gridOf(rows).filter(({ texts }) => texts.some((text) => text !== ''))
      const width = Math.max(0, ...grid.map(({ texts }) => texts.length))
      if (grid.length === 0 || width < 2 || width > maxColumns) return asRuns()
      const first = grid[0]!
      // Markdown tables need a head.
      const head = first.isHead ? first.texts : []
      const body = (first.isHead ? grid.slice(1) : grid).map(({ texts }) => texts)
      const filled = Array.from({ length: width }, (_, n) => head[n] ?? '')
      return [{ kind: 'table', caption: captionText, head: filled, rows: body, region }]
    },
  }
}

function isOfLayout({ blocks }: Cell): boolean {
  let chars = 0
  for (const block of blocks) {
    if (block.kind === 'heading' || block.kind === 'table' || block.kind === 'rule') return true
    if (block.kind === 'paragraph' || block.kind === 'code') chars += block.text.length
  }
  return chars > maxCellChars
}

/** A cell that spans several has its text in the first. */
function gridOf(rows: readonly Cell[][]): { texts: string[]; isHead: boolean }[] {
  /** By column: number of further rows it is taken. */
  const taken: number[] = []
  return rows.map((row) => {
    const texts: string[] = []
    const pass = (): void => {
      while ((taken[texts.length] ?? 0) > 0 && texts.length <= maxColumns) {
        taken[texts.length]!--
        texts.push('')
      }
    }
    for (const { blocks, columns, rows: deep } of row) {
      pass()
      for (let n = 0; n < columns && texts.length <= maxColumns; n++) {
        taken[texts.length] = deep - 1
        texts.push(n === 0 ? cellText(blocks) : '')
      }
    }
    pass()
    return { texts, isHead: row.length > 0 && row.every(({ isHead }) => isHead) }
  })
}

function spanOf(text: string | undefined): number {
  const span = text === undefined ? 1 : Number.parseInt(text, 10)
  return span >= 1 && span <= maxSpan ? span : 1
}
