import { Field } from '../kit/field.tsx'
import { Input, Switch } from '../kit/input.tsx'
import { browserZone, ZoneInput } from '../time/zone-input.tsx'
import type { DraftWindow } from './draft.ts'
import { strings } from './strings.ts'
import { useFieldError } from './validation-errors.ts'

const text = strings.sources

type Props = { place: string; value: DraftWindow | null; onChange: (window: DraftWindow | null) => void }

function defaultWindow(): DraftWindow {
  return { zone: browserZone(), days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }
}

/** When a source may be checked. The end of the day is 24:00, which a time input shows as 00:00. */
export function WindowFields({ place, value, onChange }: Props) {
  const daysError = useFieldError(`${place}.days`)
  const fromError = useFieldError(`${place}.from`)
  const toError = useFieldError(`${place}.to`)
  const zoneError = useFieldError(`${place}.zone`)
  const put = (changes: Partial<DraftWindow>) => onChange({ ...(value ?? defaultWindow()), ...changes })
  return (
    <div className="kit-form">
      <Switch label={text.window} checked={value !== null} onChange={(on) => onChange(on ? defaultWindow() : null)} />
      {value !== null && (
        <>
          <fieldset className="kit-row profiles-days" aria-label={text.days}>
            {text.dayNames.map((name, at) => {
              const day = at + 1
              const isOn = value.days.includes(day)
              const next = isOn ? value.days.filter((other) => other !== day) : [...value.days, day].sort()
              return (
                <button key={name} type="button" aria-pressed={isOn} onClick={() => put({ days: next })}>
                  {name}
                </button>
              )
            })}
          </fieldset>
          {daysError !== undefined && <p className="kit-field-error">{daysError}</p>}
          <div className="profiles-pair">
            <Field label={text.from} error={fromError}>
              <Input type="time" value={value.from} onChange={(from) => put({ from })} />
            </Field>
            <Field label={text.to} error={toError}>
              <Input
                type="time"
                value={value.to === '24:00' ? '00:00' : value.to}
                onChange={(to) => put({ to: to === '00:00' ? '24:00' : to })}
              />
            </Field>
            <Field label={text.zone} error={zoneError}>
              <ZoneInput value={value.zone} onChange={(zone) => put({ zone })} />
            </Field>
          </div>
        </>
      )}
    </div>
  )
}
