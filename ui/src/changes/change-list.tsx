import './changes.css'
import type { ReactNode } from 'react'
import { classNames } from '../kit/class-names.ts'
import { MarkedText } from '../kit/marked-text.tsx'
import { hitsIn, type Piece, piecesOf, type ShownChange } from './change.ts'
import { strings } from './strings.ts'

type Props<Change extends ShownChange> = {
  changes: readonly Change[]
  /** Number of further changes that are not in the list. */
  more?: number
  /** Whether to use a monospaced font, as for JSON and code. */
  isMono?: (change: Change) => boolean
  /** The terms that matched; highlighted in the changes. */
  terms?: readonly string[]
  /** Actions for one change. */
  actions?: (change: Change) => ReactNode
}

const none: readonly string[] = []

/** What changed, block by block, each below its headings. */
export function ChangeList<Change extends ShownChange>(props: Props<Change>) {
  const { changes, more = 0, isMono, terms = none, actions } = props
  return (
    <ol className="change-list">
      {changes.map((change, at) => (
        <li
          key={at}
          className={classNames(`change change-${change.kind}`, isMono?.(change) === true && 'change-mono')}
          data-change={change.kind}
        >
          {change.path !== '' && change.path !== changes[at - 1]?.path && (
            <p className="soft small break change-path">{change.path}</p>
          )}
          <div className="change-body">
            <span className="change-kind" title={strings.kinds[change.kind]}>
              <span aria-hidden="true">{strings.signs[change.kind]}</span>
              <span className={change.kind === 'moved' ? 'small' : 'visually-hidden'}>
                {strings.kinds[change.kind]}
              </span>
            </span>
            <p className="break change-text">
              {piecesOf(change).map((piece, place) => (
                <PieceText key={place} piece={piece} terms={terms} />
              ))}
            </p>
            {actions !== undefined && <div className="change-actions">{actions(change)}</div>}
          </div>
        </li>
      ))}
      {more > 0 && <li className="soft small change-more">{strings.more(more)}</li>}
    </ol>
  )
}

/** Cells of a table row are separated by tabs. */
function PieceText({ piece: { kind, text: given }, terms }: { piece: Piece; terms: readonly string[] }) {
  const text = given.replaceAll('\t', strings.cell)
  // Removed text is not matched.
  const marked = <MarkedText text={text} marks={kind === 'removed' ? [] : hitsIn(text, terms)} />
  if (kind === 'removed') return <del>{marked}</del>
  return kind === 'added' ? <ins>{marked}</ins> : <span>{marked}</span>
}
