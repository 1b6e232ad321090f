import { useState } from 'react'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Input } from './input.tsx'
import { strings } from './strings.ts'

type Props = { label: string; value: string; hint?: string }

/** A text to use elsewhere, such as a token, with a button that copies it. */
export function CopyText({ label, value, hint }: Props) {
  const [said, setSaid] = useState('')
  async function copy() {
    try {
      await navigator.clipboard.writeText(value)
      setSaid(strings.copied)
    } catch {
      setSaid(strings.copyFailed)
    }
  }
  return (
    <Field label={label} hint={<span role="status">{said === '' ? hint : said}</span>}>
      <span className="kit-copy">
        <Input className="mono" readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
        <Button label={strings.copy} icon="copy" aria-label={strings.copyOf(label)} onClick={() => void copy()} />
      </span>
    </Field>
  )
}
