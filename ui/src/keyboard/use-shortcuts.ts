import { useEffect, useLayoutEffect, useRef } from 'react'
import { registerGroup, type Shortcut } from './registry.ts'

/** The keys of the component as long as it is mounted; what they do may change with every render. */
export function useShortcuts(name: string, shortcuts: readonly Shortcut[]): void {
  const group = useRef({ name, shortcuts })
  useLayoutEffect(() => {
    group.current = { name, shortcuts }
  })
  useEffect(() => registerGroup(group), [])
}
