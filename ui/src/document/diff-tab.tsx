import { useMemo, useRef } from 'react'
import { isOffline, urlOf } from '../api/client.ts'
import type { Diff, Version } from '../api/types.ts'
import { ButtonLink } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Select } from '../kit/input.tsx'
import { Segments } from '../kit/segments.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { Switch } from '../kit/switch.tsx'
import { shortTime } from '../time/zone.ts'
import { blocksOf } from './diff-blocks.ts'
import { type DiffChoice, kinds, useDiffChoice } from './diff-choice.ts'
import { DiffMap } from './diff-map.tsx'
import { DiffText } from './diff-text.tsx'
import { IgnoreSelection } from './ignore-selection.tsx'
import { IgnoredLine } from './ignored-line.tsx'
import { useDiff } from './use-document.ts'
import type { VersionChoice } from './version-choice.ts'
import { absenceOf } from './version-words.ts'

type Props = { id: string; versions: readonly Version[]; choice: VersionChoice }

export function DiffTab({ id, versions, choice }: Props) {
  const [diffChoice, setDiffChoice] = useDiffChoice()
  const { from, to } = choice
  const query = useDiff(id, { ...diffChoice, from: from?.n ?? 0, to: to?.n ?? 0 }, from !== null && to !== null)
  if (from === null || to === null)
    return (
      <EmptyState icon="clock" title="One version so far">
        There is nothing to compare yet. When the page changes, the difference stands here.
      </EmptyState>
    )
  return (
    <div className="document-diff">
      <Tools {...{ id, versions, choice }} diffChoice={diffChoice} onChange={setDiffChoice} />
      {query.error !== null ? (
        <ErrorState title="These versions can't be compared" error={query.error} onRetry={() => void query.refetch()}>
          {isOffline(query.error) ? undefined : (absenceOf(from) ?? absenceOf(to) ?? 'Choose other versions above.')}
        </ErrorState>
      ) : query.data === undefined ? (
        <LoadingState label="Comparing" />
      ) : (
        <>
          {!diffChoice.isRaw && (
            <IgnoredLine
              count={query.data.ignoring}
              showsAll={diffChoice.showsIgnored}
              onChange={(showsIgnored) => setDiffChoice({ showsIgnored })}
            />
          )}
          <Compared diff={query.data} choice={diffChoice} isStale={query.isPlaceholderData} />
        </>
      )}
    </div>
  )
}

function Compared({ diff, choice, isStale }: { diff: Diff; choice: DiffChoice; isStale: boolean }) {
  const blocks = useMemo(() => blocksOf(diff), [diff])
  const text = useRef<HTMLDivElement>(null)
  if (diff.equal)
    return (
      <EmptyState icon="check" title="No difference">
        {diff.compared === 'bytes'
          ? 'The content has no text to compare, and its bytes are equal.'
          : diff.ignoring > 0
            ? 'Besides what your profiles ignore, these two versions are equal.'
            : 'What is compared is equal in these two versions. Other versions, or the source, may differ.'}
      </EmptyState>
    )
  if (diff.compared === 'bytes')
    return (
      <EmptyState icon="diff" title="The content is different">
        It has no text that could be compared word by word. Open both versions side by side.
      </EmptyState>
    )
  const { added, removed } = diff.words
  return (
    <>
      <p className="document-diff-sum" role="status">
        <span className="document-added-word">+{added.toLocaleString('en')} words</span>{' '}
        <span className="document-removed-word">−{removed.toLocaleString('en')} words</span>
        {diff.coarse && <span className="soft"> · so much changed that it is shown roughly</span>}
      </p>
      <div className="document-diff-body" aria-busy={isStale}>
        <DiffText ref={text} blocks={blocks} form={diff.form} hides={choice.hides} />
        {diff.compared === 'text' && <IgnoreSelection diff={diff} text={text} />}
        <DiffMap blocks={blocks} text={text} />
      </div>
    </>
  )
}

type ToolsProps = Props & { diffChoice: DiffChoice; onChange(changes: Partial<DiffChoice>): void }

function Tools({ id, versions, choice: { from, to, choose }, diffChoice, onChange }: ToolsProps) {
  const options = versions.map((version) => ({
    value: String(version.n),
    label: `${version.n} · ${shortTime(version.firstSeenAt)}`,
  }))
  const byNumber = (n: string): Version => versions.find((version) => String(version.n) === n)!
  const patch = urlOf(`/documents/${id}/diff`, {
    from: from?.n,
    to: to?.n,
    raw: diffChoice.isRaw,
    ignored: diffChoice.showsIgnored ? 'show' : undefined,
    format: 'patch',
  })
  return (
    <div className="document-tools">
      <Field label="From">
        <Select value={String(from?.n ?? '')} options={options} onChange={(n) => choose({ from: byNumber(n) })} />
      </Field>
      <Field label="To">
        <Select
          value={String(to?.n ?? '')}
          options={options}
          onChange={(n) => choose({ to: byNumber(n), ...(from === null ? {} : { from }) })}
        />
      </Field>
      <Segments
        label="Compare by"
        value={diffChoice.form}
        segments={[
          { value: 'words', label: 'Words' },
          { value: 'lines', label: 'Lines' },
        ]}
        onChange={(form) => onChange({ form })}
      />
      <DiffOptions choice={diffChoice} onChange={onChange} />
      <ButtonLink href={patch} look="quiet" small icon="download" external>
        Patch
      </ButtonLink>
    </div>
  )
}

type OptionsProps = { choice: DiffChoice; onChange(changes: Partial<DiffChoice>): void }

/** Seldom needed, so they lie folded. */
function DiffOptions({ choice, onChange }: OptionsProps) {
  return (
    <details className="document-options">
      <summary>Options</summary>
      <fieldset className="document-toggles" aria-label="What is shown">
        <Switch checked={!choice.isWhole} onChange={(only) => onChange({ isWhole: !only })}>
          Only changes
        </Switch>
        <Switch checked={choice.ignoresSpace} onChange={(ignoresSpace) => onChange({ ignoresSpace })}>
          Ignore white space
        </Switch>
        <Switch checked={choice.isRaw} onChange={(isRaw) => onChange({ isRaw })}>
          Source
        </Switch>
        {kinds.map((kind) => (
          <Switch
            key={kind}
            checked={!choice.hides[kind]}
            onChange={(shown) => onChange({ hides: { ...choice.hides, [kind]: !shown } })}
          >
            {kind[0]!.toUpperCase() + kind.slice(1)}
          </Switch>
        ))}
      </fieldset>
    </details>
  )
}
