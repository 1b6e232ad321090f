import { type ComponentProps, useId } from 'react'
import { Input } from '../kit/input.tsx'

const zones = Intl.supportedValuesOf('timeZone')

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The list names each zone once; aliases such as Europe/Nicosia for Asia/Nicosia are valid too. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Offers the names of all time zones. */
export function ZoneInput(props: Omit<ComponentProps<typeof Input>, 'list' | 'type'>) {
  const id = useId()
  return (
    <>
      <Input list={id} autoComplete="off" maxLength={60} {...props} />
      <datalist id={id}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}
