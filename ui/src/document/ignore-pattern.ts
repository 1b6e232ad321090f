import { piecesOf, type ShownChange } from '../changes/change.ts'

/** The server's limit. */
export const MAX_PATTERN = 500

/** The selection in a comparison, as it reads in each of the two versions. */
export type SelectedText = { before: string; after: string }

/**
 * A pattern that matches the selection and what will replace it next time: a number matches any number, white space any white
 * space. When both versions are selected and differ in more than that, either matches.
 */
export function patternOf({ before, after }: SelectedText): string {
  const sides = [patternOfText(after), patternOfText(before)]
  return [...new Set(sides.filter((side) => side !== ''))].join('|')
}

/**
 * The changed words with their neighbours, without which a number would match every number; or the whole block. Only the beginning of
 * a long block is used, so that the pattern fits.
 */
export function textOfChange(change: ShownChange, part: 'text' | 'block'): SelectedText {
  const { before = '', after = '' } = change
  if (part === 'block') return { before: beginning(before), after: beginning(after) }
  const pieces = piecesOf(change)
  const start = pieces.findIndex(({ kind }) => kind !== 'same')
  const end = pieces.findIndex(({ kind }, at) => at > start && kind === 'same')
  const run = pieces.slice(start, end < 0 ? undefined : end)
  const preceding = /(?:\S+\s*){0,3}$/.exec(pieces[start - 1]?.text ?? '')?.[0] ?? ''
  const following = /^\s*\S*/.exec((end < 0 ? undefined : pieces[end])?.text ?? '')?.[0] ?? ''
  const textOf = (kind: 'removed' | 'added'): string => {
    const own = run.find((piece) => piece.kind === kind)
    return own === undefined && change.kind !== 'changed' ? '' : beginning(`${preceding}${own?.text ?? ''}${following}`)
  }
  return { before: textOf('removed'), after: textOf('added') }
}

const MAX_TEXT = 160

function beginning(text: string): string {
  return text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT).replace(/\s\S*$/, '')
}

function patternOfText(text: string): string {
  return text
    .trim()
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replace(/\d+/g, '\\d+')
    .replace(/\s+/g, '\\s+')
}
