import './field.css'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { useFieldProps } from './field.tsx'
import { sentenceOf } from './strings.ts'

type TextProps<Tag extends 'input' | 'textarea' | 'select'> = Omit<ComponentProps<Tag>, 'onChange'> & {
  onChange?: (value: string) => void
}

/** Inside a Field, the input is announced with the field's label, hint and error. */
function useTextProps<Rest extends { className?: string | undefined }>(
  props: Rest & { onChange?: (value: string) => void },
) {
  const { className, onChange, ...rest } = props
  return {
    className: classNames('kit-input', className),
    ...useFieldProps(),
    ...rest,
    onChange: (event: { target: { value: string } }) => onChange?.(event.target.value),
  }
}

export function Input(props: TextProps<'input'>) {
  return <input {...useTextProps(props)} />
}

export function TextArea(props: TextProps<'textarea'>) {
  return <textarea {...useTextProps(props)} />
}

type Option = { value: string; label: string }

/** Options from labels by value. */
export function optionsOf(labels: Record<string, string>): Option[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }))
}

/** The options, plus the value itself if it is none of them. */
export function withOwn(options: readonly Option[], value: string): Option[] {
  const isKnown = options.some((option) => option.value === value)
  return isKnown ? [...options] : [...options, { value, label: sentenceOf(value) }]
}

export function Select({ options, ...rest }: TextProps<'select'> & { options: readonly Option[] }) {
  return (
    <select {...useTextProps(rest)}>
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
}

export function Slider({ value, min, max, step = 1, onChange, label }: SliderProps) {
  return (
    <span className="kit-slider">
      <input
        type="range"
        {...useFieldProps()}
        aria-label={label}
        value={value}
        min={min}
        max={max}
        step={step}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
      <output aria-hidden="true">{value}</output>
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
