import { formatCount as count } from '../kit/strings.ts'
import type { ChangeKind } from './change.ts'

/** Texts of changes, in the inbox and in comparisons. */
export const strings = {
  kinds: { added: 'Added', removed: 'Removed', changed: 'Changed', moved: 'Moved' } satisfies Record<
    ChangeKind,
    string
  >,
  signs: { added: '+', removed: '−', changed: '±', moved: '↕' } satisfies Record<ChangeKind, string>,
  cell: ' · ',
  more: (n: number) => (n === 1 ? '1 more change' : `${count(n)} more changes`),
}
