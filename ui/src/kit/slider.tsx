import './field.css'
import { useFieldProps } from './field.tsx'

type Props = {
  value: number
  min: number
  max: number
  step?: number
  onChange: (value: number) => void
  /** Needed outside a Field. */
  label?: string
  format?: (value: number) => string
  disabled?: boolean
}

export function Slider({ value, min, max, step = 1, onChange, label, format = String, disabled = false }: Props) {
  return (
    <span className="kit-slider">
      <input
        type="range"
        {...useFieldProps()}
        aria-label={label}
        aria-valuetext={format(value)}
        value={value}
        min={min}
        max={max}
        step={step}
        disabled={disabled}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
      <output aria-hidden="true">{format(value)}</output>
    </span>
  )
}
