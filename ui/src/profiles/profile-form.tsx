import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input, Select, TextArea } from '../kit/input.tsx'
import { Slider } from '../kit/slider.tsx'
import { ChipsInput } from './chips-input.tsx'
import { type Draft, type DraftSource, hasInterests, newSource, totalWeight } from './draft.ts'
import { sentenceOf, useFault, useOtherFaults } from './faults.ts'
import { IgnoreField } from './ignore-field.tsx'
import { OperatorsHelp } from './operators-help.tsx'
import { SourceFields } from './source-fields.tsx'
import { TermsEditor } from './terms-editor.tsx'

type Props = { draft: Draft; onChange: (changes: Partial<Draft>) => void }

const shownPlaces =
  /^(name|urgency|expression|stemming|threshold|exclude|ignore(\[\d+\])?|sources\[\d+\]\.(uri|every|everyMax|depth|scope|process|window\.\w+)|terms\[\d+\]\.(key|weight)|delivery\.cadence)$/

export function ProfileForm({ draft, onChange }: Props) {
  const nameFault = useFault('name')
  const others = useOtherFaults(shownPlaces)
  return (
    <div className="profiles-form">
      {others.length > 0 && (
        <ul className="profiles-faults" role="alert">
          {others.map(({ place, message }) => (
            <li key={place}>
              <code>{place}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <section className="kit-card kit-form">
        <h2>What to watch</h2>
        <Field label="Name" hint="Left empty, it is named for the host" error={nameFault}>
          <Input maxLength={200} value={draft.name} onChange={(event) => onChange({ name: event.target.value })} />
        </Field>
        <Sources
          sources={draft.sources}
          usual={hasInterests(draft) ? 'tell what matches' : 'tell every change'}
          onChange={(sources) => onChange({ sources })}
        />
      </section>
      <Interests draft={draft} onChange={onChange} />
      <Telling draft={draft} onChange={onChange} />
    </div>
  )
}

type SourcesProps = { sources: DraftSource[]; usual: string; onChange: (sources: DraftSource[]) => void }

function Sources({ sources, usual, onChange }: SourcesProps) {
  return (
    <>
      <ul className="profiles-sources">
        {sources.map((source, at) => (
          <SourceFields
            key={source.key}
            at={at}
            source={source}
            isOnly={sources.length === 1}
            usual={usual}
            onChange={(changes) => onChange(sources.map((each, i) => (i === at ? { ...each, ...changes } : each)))}
            onRemove={() => onChange(sources.filter((_, i) => i !== at))}
          />
        ))}
      </ul>
      <div>
        <Button small icon="plus" onClick={() => onChange([...sources, newSource()])}>
          Another address
        </Button>
      </div>
    </>
  )
}

function Interests({ draft, onChange }: Props) {
  const expressionFault = useFault('expression')
  const thresholdFault = useFault('threshold')
  const excludeFault = useFault('exclude')
  const total = totalWeight(draft)
  return (
    <section className="kit-card kit-form">
      <div>
        <h2>What matters</h2>
        <p className="soft">
          {hasInterests(draft)
            ? 'A page is told when it has enough of this.'
            : 'With nothing here, every change is told. Add terms to hear only of what concerns you.'}
        </p>
      </div>
      <TermsEditor terms={draft.terms} onChange={(terms) => onChange({ terms })} />
      {draft.terms.length > 0 && (
        <Field
          label="Threshold"
          hint={`A page needs a relevance of ${draft.threshold} at least. One that has all terms gets ${total} or more.`}
          error={thresholdFault}
        >
          <Slider
            value={draft.threshold}
            min={0}
            max={Math.max(total, draft.threshold, 1)}
            step={0.5}
            onChange={(threshold) => onChange({ threshold })}
          />
        </Field>
      )}
      <Field label="Never with these words" hint="Enter or a comma adds one" error={excludeFault}>
        <ChipsInput
          noun="exclusion"
          values={draft.exclude}
          placeholder="job advert"
          onChange={(exclude) => onChange({ exclude })}
        />
      </Field>
      <Field label="Condition" hint="Must hold besides, when there is one" error={expressionFault}>
        <TextArea
          className="profiles-expression"
          rows={2}
          spellCheck={false}
          placeholder={'"solar power" (price OR subsidy) -advert'}
          value={draft.expression}
          onChange={(event) => onChange({ expression: event.target.value })}
        />
      </Field>
      <OperatorsHelp />
      <Field
        label="Word forms"
        hint="By their stems, “price” finds “prices” and “pricing” too"
        error={useFault('stemming')}
      >
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

const languages = ['en', 'da', 'de', 'es', 'fr', 'it', 'nl', 'no', 'pt', 'ru', 'sv']
const languageNames = new Intl.DisplayNames('en', { type: 'language' })
const stemmings = [
  { value: '', label: 'Exactly as written' },
  ...languages.map((value) => ({ value, label: `By their stems, ${languageNames.of(value) ?? value}` })),
]

const urgencies = [
  { value: '0.5', label: 'Low' },
  { value: '1', label: 'Normal' },
  { value: '2', label: 'High' },
  { value: '5', label: 'Urgent' },
]
const cadences = [
  { value: 'immediate', label: 'At once' },
  { value: 'hourly', label: 'Once an hour' },
  { value: 'daily', label: 'Once a day' },
  { value: 'weekly', label: 'Once a week' },
]
const amounts = [
  { value: 'summary', label: 'A summary' },
  { value: 'full', label: 'The whole text' },
]

function withOwn(options: { value: string; label: string }[], value: string) {
  return options.some((option) => option.value === value) ? options : [...options, { value, label: sentenceOf(value) }]
}

function Telling({ draft, onChange }: Props) {
  const urgency = String(draft.urgency)
  return (
    <section className="kit-card kit-form">
      <h2>How to be told</h2>
      <div className="profiles-pair">
        <Field label="Urgency" error={useFault('urgency')}>
          <Select
            value={urgency}
            options={withOwn(urgencies, urgency)}
            onChange={(value) => onChange({ urgency: Number(value) })}
          />
        </Field>
        <Field label="How often" error={useFault('delivery.cadence')}>
          <Select
            value={draft.cadence}
            options={withOwn(cadences, draft.cadence)}
            onChange={(cadence) => onChange({ cadence })}
          />
        </Field>
        <Field label="How much">
          <Select
            value={draft.amount}
            options={amounts}
            onChange={(amount) => onChange({ amount: amount as Draft['amount'] })}
          />
        </Field>
      </div>
    </section>
  )
}
