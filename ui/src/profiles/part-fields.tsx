import { useState } from 'react'
import { Field } from '../kit/field.tsx'
import { TextArea } from '../kit/input.tsx'
import type { Aspect, DraftSource } from './draft.ts'
import { strings } from './strings.ts'
import { useFieldError, useLineErrors } from './validation-errors.ts'

const text = strings.sources.part
const aspects = Object.keys(text.aspectNames) as Aspect[]

type Props = { place: string; source: DraftSource; onChange: (changes: Partial<DraftSource>) => void }

/** Which part of the page counts, and what in it. Collapsed while everything has its default. */
export function PartFields({ place, source, onChange }: Props) {
  const { select, omit, conditions } = source
  const errors = {
    select: useLineErrors(`${place}.select`),
    omit: useLineErrors(`${place}.omit`),
    conditions: useLineErrors(`${place}.conditions`),
    aspects: useFieldError(`${place}.aspects`),
  }
  const isUsual = [...select, ...omit, ...conditions].length === 0 && source.aspects.join(' ') === 'text links'
  const [isOpen, setIsOpen] = useState(!isUsual)
  const hasError = Object.values(errors).some((error) => error !== undefined)
  return (
    <details
      className="kit-details profiles-more"
      open={isOpen || hasError}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>{text.title}</summary>
      <div className="kit-form">
        <Lines
          label={text.select}
          hint={text.selectHint}
          error={errors.select}
          lines={select}
          onChange={(select) => onChange({ select })}
        />
        <Lines
          label={text.omit}
          hint={text.omitHint}
          error={errors.omit}
          lines={omit}
          onChange={(omit) => onChange({ omit })}
        />
        <AspectBoxes chosen={source.aspects} error={errors.aspects} onChange={(aspects) => onChange({ aspects })} />
        <Lines
          label={text.conditions}
          hint={text.conditionsHint}
          error={errors.conditions}
          lines={conditions}
          onChange={(conditions) => onChange({ conditions })}
        />
      </div>
    </details>
  )
}

type LinesProps = {
  label: string
  hint: string
  error: string | undefined
  lines: readonly string[]
  onChange: (lines: string[]) => void
}

const MAX_ROWS = 8

function Lines({ label, hint, error, lines, onChange }: LinesProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      <TextArea
        className="mono profiles-expression"
        rows={Math.min(MAX_ROWS, lines.length + 1)}
        spellCheck={false}
        value={lines.join('\n')}
        onChange={(value) => onChange(value === '' ? [] : value.split('\n'))}
      />
    </Field>
  )
}

type AspectProps = { chosen: readonly Aspect[]; error: string | undefined; onChange: (aspects: Aspect[]) => void }

function AspectBoxes({ chosen, error, onChange }: AspectProps) {
  return (
    <fieldset className="profiles-aspects">
      <legend>{text.aspects}</legend>
      {aspects.map((aspect) => (
        <label key={aspect}>
          <input
            type="checkbox"
            checked={chosen.includes(aspect)}
            onChange={({ target: { checked } }) =>
              onChange(aspects.filter((each) => (each === aspect ? checked : chosen.includes(each))))
            }
          />
          {text.aspectNames[aspect]}
        </label>
      ))}
      {error !== undefined && (
        <p className="kit-field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
