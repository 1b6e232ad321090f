import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input, Select, Slider, TextArea, withOwn } from '../kit/input.tsx'
import { DeliveryFields } from './delivery-fields.tsx'
import { type Draft, type DraftSource, type DraftTerm, hasInterests, newSource, totalWeight } from './draft.ts'
import { SourceFields } from './source-fields.tsx'
import { strings } from './strings.ts'
import { ChipsInput, TermsEditor } from './terms-editor.tsx'
import { useFieldError, useLineErrors, useOtherErrors } from './validation-errors.ts'

type Props = { draft: Draft; onChange: (changes: Partial<Draft>) => void }

const shownFields =
  /^(name|urgency|expression|stemming|threshold|exclude|match|ignore(\[\d+\])?|sources\[\d+\]\.(uri|render|credentials|method|every|everyMax|depth|scope|process|aspects|(select|omit|conditions)(\[\d+\])?|window\.\w+)|terms\[\d+\]\.(key|weight)|amount|delivery\.(cadence|channels(\[\d+\])?|perHour|urgentFrom|quiet\.(zone|from|to)|escalation\.(channel|after|urgency)))$/

export function ProfileForm({ draft, onChange }: Props) {
  const nameError = useFieldError('name')
  const others = useOtherErrors(shownFields)
  return (
    <div className="kit-stack profiles-form">
      {others.length > 0 && (
        <ul className="kit-notice tone-danger" role="alert">
          {others.map(({ place, message }) => (
            <li key={place}>
              <code>{place}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <section className="kit-card kit-form">
        <h2>{strings.sources.title}</h2>
        <Field label={strings.sources.name} hint={strings.sources.nameHint} error={nameError}>
          <Input maxLength={200} value={draft.name} onChange={(name) => onChange({ name })} />
        </Field>
        <Sources
          sources={draft.sources}
          hasInterests={hasInterests(draft)}
          terms={draft.terms}
          onChange={(sources) => onChange({ sources })}
        />
      </section>
      <Interests draft={draft} onChange={onChange} />
      <DeliveryFields draft={draft} onChange={onChange} />
    </div>
  )
}

type SourcesProps = {
  sources: DraftSource[]
  hasInterests: boolean
  terms: readonly DraftTerm[]
  onChange: (sources: DraftSource[]) => void
}

function Sources({ sources, hasInterests, terms, onChange }: SourcesProps) {
  return (
    <>
      <ul className="kit-stack">
        {sources.map((source, at) => (
          <SourceFields
            key={source.key}
            at={at}
            source={source}
            isOnly={sources.length === 1}
            hasInterests={hasInterests}
            terms={terms}
            onChange={(changes) => onChange(sources.map((each, i) => (i === at ? { ...each, ...changes } : each)))}
            onRemove={() => onChange(sources.filter((_, i) => i !== at))}
          />
        ))}
      </ul>
      <div>
        <Button label={strings.sources.another} small icon="plus" onClick={() => onChange([...sources, newSource()])} />
      </div>
    </>
  )
}

function Interests({ draft, onChange }: Props) {
  const expressionError = useFieldError('expression')
  const thresholdError = useFieldError('threshold')
  const excludeError = useFieldError('exclude')
  const matchError = useFieldError('match')
  const total = totalWeight(draft)
  const text = strings.interests
  return (
    <section className="kit-card kit-form">
      <div>
        <h2>{text.title}</h2>
        <p className="soft">{text.hint(hasInterests(draft))}</p>
      </div>
      <TermsEditor terms={draft.terms} onChange={(terms) => onChange({ terms })} />
      {draft.terms.length > 0 && (
        <Field label={text.threshold} hint={text.thresholdHint(draft.threshold, total)} error={thresholdError}>
          <Slider
            value={draft.threshold}
            min={0}
            max={Math.max(total, draft.threshold, 1)}
            step={0.5}
            onChange={(threshold) => onChange({ threshold })}
          />
        </Field>
      )}
      <Field label={text.exclude} hint={text.excludeHint} error={excludeError}>
        <ChipsInput
          values={draft.exclude}
          placeholder={text.excludeExample}
          onChange={(exclude) => onChange({ exclude })}
        />
      </Field>
      <Field label={text.condition} hint={text.conditionHint} error={expressionError}>
        <TextArea
          className="mono profiles-expression"
          rows={2}
          spellCheck={false}
          placeholder={text.conditionExample}
          value={draft.expression}
          onChange={(expression) => onChange({ expression })}
        />
      </Field>
      <OperatorsHelp />
      {hasInterests(draft) && (
        <Field label={text.match} hint={text.matchHint(draft.match)} error={matchError}>
          <Select
            value={draft.match}
            options={text.matches}
            onChange={(match) => onChange({ match: match as Draft['match'] })}
          />
        </Field>
      )}
      <Field label={text.wordForms} hint={text.wordFormsHint} error={useFieldError('stemming')}>
        <Select
          value={draft.stemming}
          options={withOwn(stemmings, draft.stemming)}
          onChange={(stemming) => onChange({ stemming })}
        />
      </Field>
      <IgnoreField lines={draft.ignore} onChange={(ignore) => onChange({ ignore })} />
    </section>
  )
}

const languages = 'en ar bg cs da de el es fi fr hu id it lt nl no pl pt ro ru sv tr uk'.split(' ')
const languageNames = new Intl.DisplayNames('en', { type: 'language' })
const stemmings = [
  { value: '', label: strings.interests.exact },
  { value: 'auto', label: strings.interests.autoStems },
  ...languages.map((value) => ({ value, label: strings.interests.stems(languageNames.of(value) ?? value) })),
  { value: 'zh', label: strings.interests.chinese },
]

function OperatorsHelp() {
  return (
    <details className="kit-details profiles-operators">
      <summary>{strings.interests.operators.title}</summary>
      <dl className="kit-facts small">
        {strings.interests.operators.list.map(([example, meaning]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

type IgnoreProps = { lines: readonly string[]; onChange: (lines: string[]) => void }

const MIN_ROWS = 3
const MAX_ROWS = 12

/** Usually filled from the diff view, so it is collapsed while empty. */
function IgnoreField({ lines, onChange }: IgnoreProps) {
  const error = useLineErrors('ignore')
  const [isOpen, setIsOpen] = useState(lines.length > 0)
  return (
    <details
      className="kit-details profiles-more"
      open={isOpen || error !== undefined}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>{strings.interests.ignore.title}</summary>
      <Field label={strings.interests.ignore.label} hint={strings.interests.ignore.hint} error={error}>
        <TextArea
          className="mono profiles-expression"
          rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, lines.length + 1))}
          spellCheck={false}
          value={lines.join('\n')}
          onChange={(text) => onChange(text === '' ? [] : text.split('\n'))}
        />
      </Field>
    </details>
  )
}
