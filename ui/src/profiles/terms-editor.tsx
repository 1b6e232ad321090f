import { type KeyboardEvent, useState } from 'react'
import { Button, IconButton } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { Input, Slider } from '../kit/input.tsx'
import { type DraftTerm, newTerm } from './draft.ts'
import { strings } from './strings.ts'
import { useFieldError } from './validation-errors.ts'

const MAX_SLIDER = 10
const text = strings.interests
type Props = { terms: DraftTerm[]; onChange: (terms: DraftTerm[]) => void }

export function TermsEditor({ terms, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const put = (at: number, changes: Partial<DraftTerm>) =>
    onChange(terms.map((term, index) => (index === at ? { ...term, ...changes } : term)))

  function add() {
    const words = typed
      .split(/,|\n/)
      .map((word) => word.trim())
      .filter((word) => word !== '')
    if (words.length > 0) onChange([...terms, ...words.map((word) => newTerm(word))])
    setTyped('')
  }
  return (
    <div className="kit-stack">
      {terms.length > 0 && (
        <ul className="kit-stack">
          {terms.map((term, at) => (
            <TermRow
              key={term.key}
              at={at}
              term={term}
              onChange={(changes) => put(at, changes)}
              onRemove={() => onChange(terms.filter(({ key }) => key !== term.key))}
            />
          ))}
        </ul>
      )}
      <Field label={text.addTerm} hint={text.addTermHint}>
        <div className="profiles-add">
          <TermInput value={typed} onChange={setTyped} onAdd={add} />
          <Button label={text.add} icon="plus" disabled={typed.trim() === ''} onClick={add} />
        </div>
      </Field>
    </div>
  )
}

type InputProps = { value: string; onChange: (text: string) => void; onAdd: () => void }

function TermInput({ value, onChange, onAdd }: InputProps) {
  return (
    <Input
      value={value}
      placeholder={text.termExample}
      onChange={onChange}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        onAdd()
      }}
    />
  )
}

type RowProps = { at: number; term: DraftTerm; onChange: (changes: Partial<DraftTerm>) => void; onRemove: () => void }

function TermRow({ at, term: { term, weight }, onChange, onRemove }: RowProps) {
  const keyError = useFieldError(`terms[${at}].key`)
  const weightError = useFieldError(`terms[${at}].weight`)
  return (
    <li className="profiles-term">
      <Input
        aria-label={text.term(at + 1)}
        aria-invalid={keyError !== undefined}
        value={term}
        onChange={(term) => onChange({ term })}
      />
      <Slider
        label={text.weightOf(term)}
        value={weight}
        min={0.5}
        max={Math.max(MAX_SLIDER, Math.ceil(weight))}
        step={0.5}
        onChange={(value) => onChange({ weight: value })}
      />
      <IconButton icon="close" label={text.remove(term)} tip="end" onClick={onRemove} />
      {(keyError ?? weightError) !== undefined && (
        <p className="kit-field-error" role="alert">
          {keyError ?? weightError}
        </p>
      )}
    </li>
  )
}

type ChipsProps = { values: readonly string[]; placeholder: string; onChange: (values: string[]) => void }

/** Words as chips: Enter or a comma adds one, Backspace in the empty field removes the last. */
export function ChipsInput({ values, placeholder, onChange }: ChipsProps) {
  const [typed, setTyped] = useState('')

  function add() {
    const added = typed.split(',').map((word) => word.trim())
    onChange([...new Set([...values, ...added.filter((word) => word !== '')])])
    setTyped('')
  }
  function press(event: KeyboardEvent) {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault()
      add()
    }
    if (event.key === 'Backspace' && typed === '' && values.length > 0) onChange(values.slice(0, -1))
  }
  return (
    <div className="kit-row profiles-chips">
      {values.map((value) => (
        <button
          key={value}
          type="button"
          className="small profiles-chip"
          aria-label={text.removeExcluded(value)}
          onClick={() => onChange(values.filter((other) => other !== value))}
        >
          {value}
          <Icon name="close" size={14} />
        </button>
      ))}
      <Input value={typed} placeholder={placeholder} onChange={setTyped} onKeyDown={press} onBlur={add} />
    </div>
  )
}
