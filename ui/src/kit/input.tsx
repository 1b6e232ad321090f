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

export type Option = { value: string; label: string }
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
