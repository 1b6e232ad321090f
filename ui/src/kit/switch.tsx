import './field.css'
import type { ReactNode } from 'react'

type Props = { checked: boolean; onChange: (checked: boolean) => void; disabled?: boolean; children: ReactNode }

export function Switch({ checked, onChange, disabled = false, children }: Props) {
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
      <span>{children}</span>
    </label>
  )
}
