import { useRef, useState } from 'react'
import type { Diff } from '../api/types.ts'
import { ChangeList } from '../changes/change-list.tsx'
import { Button } from '../kit/button.tsx'
import { EmptyState } from '../kit/states.tsx'
import type { DiffChoice } from './choices.ts'
import { IgnoreDialog } from './ignore-dialog.tsx'
import { type SelectedText, textOfChange } from './ignore-pattern.ts'
import { IgnoreSelection } from './ignore-selection.tsx'
import { strings } from './strings.ts'

type Props = { diff: Diff; hides: DiffChoice['hides']; isStale: boolean }

const hiddenBy = { added: 'added', removed: 'removed', changed: 'replaced', moved: 'moved' } as const

/** What changed, block by block, each with actions to ignore it from now on. */
export function ComparedChanges({ diff, hides, isStale }: Props) {
  const [ignored, setIgnored] = useState<{ selected: SelectedText; proposed?: string | undefined } | null>(null)
  const text = useRef<HTMLDivElement>(null)
  const { changes, changeCount } = diff
  const shown = changes.filter(({ kind }) => !hides[hiddenBy[kind]])
  if (changes.length === 0)
    return <EmptyState icon="diff" title={strings.diff.unseen} advice={strings.diff.unseenAdvice} />
  const actions = (change: Diff['changes'][number]) =>
    change.kind === 'moved' ? null : (
      <>
        <Button
          label={strings.ignore.text}
          small
          variant="quiet"
          onClick={() => setIgnored({ selected: textOfChange(change, 'text') })}
        />
        <Button
          label={strings.ignore.block}
          small
          variant="quiet"
          onClick={() => setIgnored({ selected: textOfChange(change, 'block'), proposed: change.ignore?.ignore })}
        />
      </>
    )
  return (
    <>
      <p className="document-diff-sum" role="status">
        {strings.diff.changes(changeCount)}
        {diff.coarse && <span className="soft">{strings.diff.coarse}</span>}
      </p>
      <div ref={text} className="document-diff-body document-changes" aria-busy={isStale} tabIndex={-1}>
        <ChangeList
          changes={shown}
          more={changeCount - changes.length}
          isMono={({ block }) => block === 'value' || block === 'line'}
          actions={actions}
        />
        <IgnoreSelection diff={diff} text={text} />
      </div>
      {shown.length < changes.length && (
        <p className="soft small">{strings.diff.hidden(changes.length - shown.length)}</p>
      )}
      {ignored !== null && (
        <IgnoreDialog
          document={String(diff.document)}
          profiles={diff.profiles}
          {...ignored}
          onClose={() => setIgnored(null)}
        />
      )}
    </>
  )
}
