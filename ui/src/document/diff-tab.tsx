import { useMemo, useRef } from 'react'
import { isOffline, urlOf } from '../api/client.ts'
import type { Diff, Version } from '../api/types.ts'
import { ButtonLink } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Select, Switch } from '../kit/input.tsx'
import { Segments } from '../kit/segments.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { shortTime } from '../time/zone.ts'
import { type DiffChoice, diffForms, kinds, useDiffChoice, type VersionChoice } from './choices.ts'
import { absenceOf, OneVersion } from './content-tabs.tsx'
import { blocksOf } from './diff-blocks.ts'
import { ComparedChanges } from './diff-changes.tsx'
import { DiffMap, DiffText, IgnoredLine } from './diff-text.tsx'
import { IgnoreSelection } from './ignore-selection.tsx'
import { MutedSection } from './muted-section.tsx'
import { ScreenshotsSection } from './screenshots.tsx'
import { strings } from './strings.ts'
import { useDiff } from './use-document.ts'

type Props = { id: string; versions: readonly Version[]; choice: VersionChoice }

export function DiffTab({ id, versions, choice }: Props) {
  const [diffChoice, setDiffChoice] = useDiffChoice()
  const { from, to } = choice
  const query = useDiff(id, { ...diffChoice, from: from?.n ?? 0, to: to?.n ?? 0 }, from !== null && to !== null)
  if (from === null || to === null) return <OneVersion>{strings.diff.oneVersion}</OneVersion>
  return (
    <div className="document-diff">
      <Tools {...{ id, versions, choice }} diffChoice={diffChoice} onChange={setDiffChoice} />
      {query.error !== null ? (
        <ErrorState
          title={strings.diff.failed}
          query={query}
          advice={isOffline(query.error) ? undefined : (absenceOf(from) ?? absenceOf(to) ?? strings.diff.failedAdvice)}
        />
      ) : query.data === undefined ? (
        <LoadingState label={strings.diff.comparing} />
      ) : (
        <>
          {!diffChoice.isRaw && (
            <IgnoredLine
              count={query.data.ignoring}
              showsAll={diffChoice.showsIgnored}
              onChange={(showsIgnored) => setDiffChoice({ showsIgnored })}
            />
          )}
          {to.notice === 'noise' && <p className="soft">{strings.muted.onlyNoise}</p>}
          {query.data.tooExpensive && <p className="soft">{strings.diff.tooExpensive}</p>}
          <Compared diff={query.data} choice={diffChoice} isStale={query.isPlaceholderData} />
        </>
      )}
      <ScreenshotsSection id={id} from={from.n} to={to.n} />
      <MutedSection id={id} />
    </div>
  )
}

function Compared({ diff, choice, isStale }: { diff: Diff; choice: DiffChoice; isStale: boolean }) {
  const blocks = useMemo(() => blocksOf(diff), [diff])
  const text = useRef<HTMLDivElement>(null)
  if (diff.equal)
    return (
      <EmptyState
        icon="check"
        title={strings.diff.equal}
        advice={
          diff.compared === 'bytes'
            ? strings.diff.equalBytes
            : diff.ignoring > 0
              ? strings.diff.equalIgnored
              : strings.diff.equalText
        }
      />
    )
  if (diff.compared === 'bytes')
    return <EmptyState icon="diff" title={strings.diff.binary} advice={strings.diff.binaryAdvice} />
  // Raw sources have no blocks.
  if (choice.form === 'changes' && !choice.isRaw && diff.compared === 'text')
    return <ComparedChanges diff={diff} hides={choice.hides} isStale={isStale} />
  const { added, removed } = diff.words
  return (
    <>
      <p className="document-diff-sum" role="status">
        <span className="document-added-word">{strings.diff.added(added)}</span>{' '}
        <span className="document-removed-word">{strings.diff.removed(removed)}</span>
        {diff.coarse && <span className="soft">{strings.diff.coarse}</span>}
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
    label: strings.versions.option(version.n, shortTime(version.firstSeenAt)),
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
      <Field label={strings.diff.from}>
        <Select value={String(from?.n ?? '')} options={options} onChange={(n) => choose({ from: byNumber(n) })} />
      </Field>
      <Field label={strings.diff.to}>
        <Select
          value={String(to?.n ?? '')}
          options={options}
          onChange={(n) => choose({ to: byNumber(n), ...(from === null ? {} : { from }) })}
        />
      </Field>
      <Segments
        label={strings.diff.compareBy}
        value={diffChoice.form}
        segments={diffForms.map((value) => ({ value, label: strings.diff.forms[value] }))}
        onChange={(form) => onChange({ form })}
      />
      <DiffOptions choice={diffChoice} onChange={onChange} />
      <ButtonLink label={strings.diff.patch} href={patch} variant="quiet" small icon="download" external />
    </div>
  )
}

type OptionsProps = { choice: DiffChoice; onChange(changes: Partial<DiffChoice>): void }

/** Rarely needed, so collapsed by default. */
function DiffOptions({ choice, onChange }: OptionsProps) {
  return (
    <details className="document-options">
      <summary>{strings.diff.options}</summary>
      <fieldset className="document-toggles" aria-label={strings.diff.show}>
        <Switch
          label={strings.diff.onlyChanges}
          checked={!choice.isWhole}
          onChange={(only) => onChange({ isWhole: !only })}
        />
        <Switch
          label={strings.diff.ignoreSpace}
          checked={choice.ignoresSpace}
          onChange={(ignoresSpace) => onChange({ ignoresSpace })}
        />
        <Switch label={strings.diff.source} checked={choice.isRaw} onChange={(isRaw) => onChange({ isRaw })} />
        {kinds.map((kind) => (
          <Switch
            label={strings.diff.kinds[kind]}
            key={kind}
            checked={!choice.hides[kind]}
            onChange={(shown) => onChange({ hides: { ...choice.hides, [kind]: !shown } })}
          />
        ))}
      </fieldset>
    </details>
  )
}
