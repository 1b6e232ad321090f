import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { IconButton } from '../kit/icon-button.tsx'
import { Input } from '../kit/input.tsx'
import { Slider } from '../kit/slider.tsx'
import { type DraftTerm, newTerm } from './draft.ts'
import { useFault } from './faults.ts'

const MAX_SLIDER = 10
type Props = { terms: DraftTerm[]; onChange: (terms: DraftTerm[]) => void }

export function TermsEditor({ terms, onChange }: Props) {
  const [text, setText] = useState('')
  const put = (at: number, changes: Partial<DraftTerm>) =>
    onChange(terms.map((term, index) => (index === at ? { ...term, ...changes } : term)))

  function add() {
    const words = text
      .split(/,|\n/)
      .map((word) => word.trim())
      .filter((word) => word !== '')
    if (words.length > 0) onChange([...terms, ...words.map((word) => newTerm(word))])
    setText('')
  }
  return (
    <div className="profiles-terms">
      {terms.length > 0 && (
        <ul>
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
      <Field label="Add a term" hint="A word, a phrase, or the beginning of a word with a star: photo*">
        <div className="profiles-add">
          <TermInput value={text} onChange={setText} onAdd={add} />
          <Button icon="plus" disabled={text.trim() === ''} onClick={add}>
            Add
          </Button>
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
      placeholder="solar power"
      onChange={(event) => onChange(event.target.value)}
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
  const keyFault = useFault(`terms[${at}].key`)
  const weightFault = useFault(`terms[${at}].weight`)
  return (
    <li className="profiles-term">
      <Input
        aria-label={`Term ${at + 1}`}
        aria-invalid={keyFault !== undefined}
        value={term}
        onChange={(event) => onChange({ term: event.target.value })}
      />
      <Slider
        label={`Weight of ${term}`}
        value={weight}
        min={0.5}
        max={Math.max(MAX_SLIDER, Math.ceil(weight))}
        step={0.5}
        onChange={(value) => onChange({ weight: value })}
      />
      <IconButton icon="close" label={`Remove ${term}`} tip="end" onClick={onRemove} />
      {(keyFault ?? weightFault) !== undefined && (
        <p className="kit-field-error" role="alert">
          {keyFault ?? weightFault}
        </p>
      )}
    </li>
  )
}
