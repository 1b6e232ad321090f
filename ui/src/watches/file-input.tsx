import type { ChangeEvent } from 'react'
import { useFieldProps } from '../kit/field.tsx'

type Props = { accept: string; onChange: (event: ChangeEvent<HTMLInputElement>) => void }

export function FileInput({ accept, onChange }: Props) {
  return (
    <input type="file" className="kit-input watches-file" {...useFieldProps()} accept={accept} onChange={onChange} />
  )
}
