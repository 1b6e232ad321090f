import { useState } from 'react'
import { Field } from '../kit/field.tsx'
import { Input, Select } from '../kit/input.tsx'

const choices = [
  ['1m', 'Every minute'],
  ['5m', 'Every 5 minutes'],
  ['10m', 'Every 10 minutes'],
  ['30m', 'Every half hour'],
  ['1h', 'Every hour'],
  ['3h', 'Every 3 hours'],
  ['6h', 'Every 6 hours'],
  ['12h', 'Twice a day'],
  ['1d', 'Every day'],
  ['7d', 'Every week'],
] as const
const options = [...choices.map(([value, label]) => ({ value, label })), { value: 'own', label: 'Another interval…' }]

type Props = { value: string; error: string | undefined; onChange: (every: string) => void }

export function EveryField({ value, error, onChange }: Props) {
  const isUsual = choices.some(([every]) => every === value)
  const [isOwn, setIsOwn] = useState(!isUsual)
  const showsOwn = isOwn || !isUsual
  return (
    <>
      <Field label="Check it" error={showsOwn ? undefined : error}>
        <Select
          value={showsOwn ? 'own' : value}
          options={options}
          onChange={(choice) => {
            setIsOwn(choice === 'own')
            if (choice !== 'own') onChange(choice)
          }}
        />
      </Field>
      {showsOwn && (
        <Field label="Interval" hint="A number with s, m, h or d, as 90s or 2h" error={error}>
          <Input value={value} onChange={(event) => onChange(event.target.value)} />
        </Field>
      )}
    </>
  )
}
