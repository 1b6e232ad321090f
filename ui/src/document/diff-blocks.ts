import type { Diff } from '../api/types.ts'

type Piece = Diff['hunks'][number]['pieces'][number]

/** A block of the comparison: unchanged text, or the text removed and added at one position. */
export type DiffBlock =
  | { kind: 'same'; id: string; text: string }
  | { kind: 'added' | 'removed' | 'replaced'; id: string; removed: string; added: string }
  /** Unchanged text that is not shown; `line` is where the next block begins. */
  | { kind: 'gap'; id: string; line: number }

/** Joins adjacent pieces that a reader sees as one change. */
export function blocksOf({ hunks, form }: Diff): DiffBlock[] {
  const end = form === 'lines' ? '\n' : ''
  const blocks: DiffBlock[] = []
  for (const [at, { pieces, toLine }] of hunks.entries()) {
    if (at > 0 || toLine > 1) blocks.push({ kind: 'gap', id: `${at}`, line: toLine })
    let run: Piece[] = []
    for (const piece of [...pieces, null]) {
      if (piece !== null && piece.kind !== 'same') {
        run.push(piece)
        continue
      }
      if (run.length > 0) blocks.push(changeOf(run, `${at}-${blocks.length}`, end))
      run = []
      if (piece !== null) addSame(blocks, piece.text + end, `${at}-${blocks.length}`)
    }
  }
  return blocks
}

function addSame(blocks: DiffBlock[], text: string, id: string): void {
  const last = blocks.at(-1)
  if (last?.kind === 'same') last.text += text
  else blocks.push({ kind: 'same', id, text })
}

function changeOf(run: readonly Piece[], id: string, end: string): DiffBlock {
  const textOf = (kind: Piece['kind']): string =>
    run
      .filter((piece) => piece.kind === kind)
      .map((piece) => piece.text + end)
      .join('')
  const [removed, added] = [textOf('removed'), textOf('added')]
  const kind = removed === '' ? 'added' : added === '' ? 'removed' : 'replaced'
  return { kind, id, removed, added }
}
