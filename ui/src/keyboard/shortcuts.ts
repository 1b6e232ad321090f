import { useEffect, useLayoutEffect, useRef } from 'react'

/**
 * The shortcuts of the current page. A component registers a group while it is mounted; when two claim the same keys, the
 * latest wins. Sequences (`g i`) wait a second for the next key.
 * Shortcuts are off while text is typed or a dialog is open. The user can turn off single-character ones; Escape, arrows,
 * Enter and Ctrl combinations stay.
 */
export type Shortcut = {
  /** `j`, `A`, `?`, `ArrowDown`, `Enter`, `Escape`, `Ctrl+k`, or a sequence `g i`; a list means alternatives. */
  keys: string | readonly string[]
  label: string
  run: (event: KeyboardEvent) => void
}
type ShortcutGroup = { name: string; shortcuts: readonly Shortcut[] }

const SEQUENCE_MS = 1000

const groups: { current: ShortcutGroup }[] = []
let characterKeys = true
let pending = ''
let pendingTimer: ReturnType<typeof setTimeout> | undefined

export function setCharacterKeys(on: boolean): void {
  characterKeys = on
}

export function areCharacterKeysOn(): boolean {
  return characterKeys
}

function registerGroup(group: { current: ShortcutGroup }): () => void {
  groups.push(group)
  return () => groups.splice(groups.indexOf(group), 1)
}

/** For the help; groups with the same name are merged. */
export function registeredGroups(): ShortcutGroup[] {
  const byName = new Map<string, Shortcut[]>()
  for (const { current } of groups) {
    const all = byName.get(current.name) ?? []
    all.push(...current.shortcuts)
    byName.set(current.name, all)
  }
  return [...byName].map(([name, shortcuts]) => ({ name, shortcuts })).filter(({ shortcuts }) => shortcuts.length > 0)
}

export function keysOf({ keys }: Shortcut): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key === ' ' ? 'Space' : event.key
  return event.ctrlKey || event.metaKey ? `Ctrl+${key.toLowerCase()}` : key
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.matches('textarea, select')) return true
  return target.matches('input:not([type=checkbox], [type=radio], [type=range], [type=button], [type=submit])')
}

/** Keys that the focused element handles itself. */
function belongsToTarget(name: string, target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (name === 'Enter' || name === 'Space') return target.matches('a[href], button, summary, input, [role=menuitem]')
  return name.startsWith('Arrow') && target.matches('input, [role=menuitem], [role=slider]')
}

function isOff(name: string, event: KeyboardEvent): boolean {
  if (event.altKey || event.defaultPrevented || event.isComposing) return true
  if (document.querySelector('dialog[open]') !== null) return true
  const isCharacter = name.length === 1
  if (isCharacter && !characterKeys) return true
  if (isTyping(event.target)) return !name.startsWith('Ctrl+')
  return belongsToTarget(name, event.target)
}

type Found = { kind: 'run'; shortcut: Shortcut } | { kind: 'wait' } | { kind: 'none' }

function find(sequence: string): Found {
  let waits = false
  for (const { current } of groups.toReversed()) {
    for (const shortcut of current.shortcuts) {
      for (const keys of keysOf(shortcut)) {
        if (keys === sequence) return { kind: 'run', shortcut }
        if (keys.startsWith(`${sequence} `)) waits = true
      }
    }
  }
  return waits ? { kind: 'wait' } : { kind: 'none' }
}

export function handleKey(event: KeyboardEvent): void {
  const name = nameOf(event)
  if (['Shift', 'Control', 'Alt', 'Meta'].includes(event.key) || isOff(name, event)) return
  const started = pending !== ''
  let found = find(started ? `${pending} ${name}` : name)
  if (started && found.kind === 'none') found = find(name)
  clearTimeout(pendingTimer)
  pending = ''
  if (found.kind === 'none') return
  event.preventDefault()
  if (found.kind === 'run') {
    found.shortcut.run(event)
    return
  }
  pending = name
  pendingTimer = setTimeout(() => {
    pending = ''
  }, SEQUENCE_MS)
}

/** Registers shortcuts while the component is mounted; their actions may change with every render. */
export function useShortcuts(name: string, shortcuts: readonly Shortcut[]): void {
  const group = useRef({ name, shortcuts })
  useLayoutEffect(() => {
    group.current = { name, shortcuts }
  })
  useEffect(() => registerGroup(group), [])
}
