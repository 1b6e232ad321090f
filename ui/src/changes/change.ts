/** A change as the API returns it, with an annotation or a comparison. */
export type ChangeKind = 'added' | 'removed' | 'changed' | 'moved'
export type Piece = { kind: 'same' | 'removed' | 'added'; text: string }
export type ShownChange = {
  kind: ChangeKind
  /** The headings above it, the path of a JSON value, or the title of a feed entry. */
  path: string
  before?: string
  after?: string
  pieces?: readonly Piece[]
  title?: string
  link?: string
}

export const changeKinds: readonly ChangeKind[] = ['added', 'removed', 'changed', 'moved']

/** Unchanged text within a change is shortened to this many characters on each side of it. */
const CONTEXT = 140

/** The pieces to show: the given ones, else a diff by common prefix and suffix. */
export function piecesOf({ kind, before = '', after = '', pieces }: ShownChange): Piece[] {
  if (kind === 'added') return [{ kind: 'added', text: after }]
  if (kind === 'removed') return [{ kind: 'removed', text: before }]
  if (kind === 'moved') return [{ kind: 'same', text: after || before }]
  return shortened(pieces === undefined || pieces.length === 0 ? withoutCommonEnds(before, after) : pieces)
}

function withoutCommonEnds(before: string, after: string): Piece[] {
  const [old, next] = [before.split(/(?<=\s)/), after.split(/(?<=\s)/)]
  let start = 0
  while (start < Math.min(old.length, next.length) && old[start] === next[start]) start++
  let end = 0
  while (end < Math.min(old.length, next.length) - start && old.at(-1 - end) === next.at(-1 - end)) end++
  const middle = (words: readonly string[]) => words.slice(start, words.length - end).join('')
  const pieces: Piece[] = [
    { kind: 'same', text: next.slice(0, start).join('') },
    { kind: 'removed', text: middle(old) },
    { kind: 'added', text: middle(next) },
    { kind: 'same', text: end === 0 ? '' : next.slice(-end).join('') },
  ]
  return pieces.filter(({ text }) => text !== '')
}

/** Shortens long unchanged stretches to the words next to the changed ones. */
function shortened(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece, at) => {
    if (piece.kind !== 'same') return piece
    const [isFirst, isLast] = [at === 0, at === pieces.length - 1]
    const room = isFirst || isLast ? CONTEXT : 2 * CONTEXT
    if (piece.text.length <= room + 20) return piece
    const head = isFirst ? '' : piece.text.slice(0, CONTEXT).replace(/\s\S*$/, ' ')
    const tail = isLast ? '' : piece.text.slice(-CONTEXT).replace(/^\S*\s/, ' ')
    return { kind: 'same', text: `${head}…${tail}` }
  })
}

/** Ranges of these terms in a text, ignoring case, for texts that come without their hits. */
export function hitsIn(text: string, terms: readonly string[]): [number, number][] {
  const hits: [number, number][] = []
  const lower = text.toLowerCase()
  // If lower-casing changes the length, the positions would be wrong.
  if (lower.length !== text.length) return hits
  for (const term of terms) {
    const wanted = term.toLowerCase()
    if (wanted === '') continue
    for (let at = lower.indexOf(wanted); at >= 0 && hits.length < 200; at = lower.indexOf(wanted, at + wanted.length)) {
      const isInWord = /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') || /[\p{L}\p{N}]/u.test(text[at + wanted.length] ?? '')
      if (!isInWord) hits.push([at, at + wanted.length])
    }
  }
  return hits
}
