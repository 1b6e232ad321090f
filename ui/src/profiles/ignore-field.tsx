import { useState } from 'react'
import { Field } from '../kit/field.tsx'
import { TextArea } from '../kit/input.tsx'
import { useLineFaults } from './faults.ts'

type Props = { lines: readonly string[]; onChange: (lines: string[]) => void }

const MIN_ROWS = 3
const MAX_ROWS = 12

/** Mostly filled from a comparison, so it lies folded while it is empty. */
export function IgnoreField({ lines, onChange }: Props) {
  const fault = useLineFaults('ignore')
  const [isOpen, setIsOpen] = useState(lines.length > 0)
  return (
    <details
      className="profiles-more"
      open={isOpen || fault !== undefined}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>Changes that don't matter</summary>
      <Field
        label="Text to ignore"
        hint="Regular expressions, one a line, such as Visitors:\s+\d+ — where only what they match has changed, you are not told"
        error={fault}
      >
        <TextArea
          className="profiles-expression"
          rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, lines.length + 1))}
          spellCheck={false}
          value={lines.join('\n')}
          onChange={({ target }) => onChange(target.value === '' ? [] : target.value.split('\n'))}
        />
      </Field>
    </details>
  )
}
