import { useEffect, useLayoutEffect, useRef } from 'react'
import { registerGroup, type Shortcut } from './registry.ts'

/** Registers shortcuts while the component is mounted; their actions may change with every render. */
export function useShortcuts(name: string, shortcuts: readonly Shortcut[]): void {
  const group = useRef({ name, shortcuts })
  useLayoutEffect(() => {
    group.current = { name, shortcuts }
  })
  useEffect(() => registerGroup(group), [])
}
