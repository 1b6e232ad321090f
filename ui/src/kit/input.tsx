import './field.css'
import type { InputHTMLAttributes, Ref, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'
import { useFieldProps } from './field.tsx'

type InputProps = InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }

export function Input({ className, ...rest }: InputProps) {
  return <input className={classNames('kit-input', className)} {...useFieldProps()} {...rest} />
}

type AreaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }

export function TextArea({ className, ...rest }: AreaProps) {
  return <textarea className={classNames('kit-input', className)} {...useFieldProps()} {...rest} />
}

type Option = { value: string; label: string }
type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> & {
  value: string
  options: readonly Option[]
  onChange: (value: string) => void
}

export function Select({ className, options, onChange, ...rest }: SelectProps) {
  return (
    <select
      className={classNames('kit-input', className)}
      {...useFieldProps()}
      {...rest}
      onChange={(event) => onChange(event.target.value)}
    >
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

type SliderProps = {
  value: number
  min: number
  max: number
  step?: number
  onChange: (value: number) => void
  /** Required outside a Field. */
  label?: string
  format?: (value: number) => string
  disabled?: boolean
}

export function Slider({ value, min, max, step = 1, onChange, label, format = String, disabled = false }: SliderProps) {
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

type SwitchProps = {
  label: string
  hint?: string
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}

export function Switch({ label, hint, checked, onChange, disabled = false }: SwitchProps) {
  return (
    <label className="kit-switch">
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <span className="kit-field-hint">{hint}</span>}
      </span>
    </label>
  )
}
