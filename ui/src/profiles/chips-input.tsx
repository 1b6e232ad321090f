import { type KeyboardEvent, useState } from 'react'
import { Icon } from '../kit/icon.tsx'
import { Input } from '../kit/input.tsx'

type Props = { values: readonly string[]; placeholder: string; noun: string; onChange: (values: string[]) => void }

/** Words as chips: Enter or a comma adds one, Backspace in the empty field takes the last one away. */
export function ChipsInput({ values, placeholder, noun, onChange }: Props) {
  const [text, setText] = useState('')

  function add() {
    const added = text.split(',').map((word) => word.trim())
    onChange([...new Set([...values, ...added.filter((word) => word !== '')])])
    setText('')
  }
  function press(event: KeyboardEvent) {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault()
      add()
    }
    if (event.key === 'Backspace' && text === '' && values.length > 0) onChange(values.slice(0, -1))
  }
  return (
    <div className="profiles-chips">
      {values.map((value) => (
        <button
          key={value}
          type="button"
          className="profiles-chip"
          aria-label={`Remove the ${noun} ${value}`}
          onClick={() => onChange(values.filter((other) => other !== value))}
        >
          {value}
          <Icon name="close" size={14} />
        </button>
      ))}
      <Input
        value={text}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        onBlur={add}
      />
    </div>
  )
}
