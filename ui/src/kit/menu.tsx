import './menu.css'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

export type MenuItem = {
  label: string
  icon?: IconName
  shortcut?: string
  danger?: boolean
  disabled?: boolean
  run: () => void
}
type Props = { label: string; icon?: IconName; items: readonly MenuItem[] }

const WIDTH_GUARD_PX = 8
const steps = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
])

/** A button that opens a list of actions in the top layer; arrow keys move, Escape or a click outside closes. */
export function Menu({ label, icon = 'more', items }: Props) {
  const id = useId()
  const button = useRef<HTMLSpanElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)

  function show() {
    const box = list.current
    const anchor = button.current?.getBoundingClientRect()
    if (box === null || anchor === undefined) return
    box.showPopover()
    const { width, height } = box.getBoundingClientRect()
    const left = Math.min(anchor.right - width, window.innerWidth - width - WIDTH_GUARD_PX)
    const below = anchor.bottom + height + WIDTH_GUARD_PX < window.innerHeight
    box.style.left = `${Math.max(WIDTH_GUARD_PX, left)}px`
    box.style.top = `${below ? anchor.bottom + 4 : Math.max(WIDTH_GUARD_PX, anchor.top - height - 4)}px`
    box.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus()
  }

  function close() {
    list.current?.hidePopover()
    button.current?.querySelector('button')?.focus()
  }

  function move(event: KeyboardEvent) {
    const step = steps.get(event.key)
    if (event.key === 'Escape' || event.key === 'Tab') close()
    // Handled here: the same press must not also leave the page.
    if (event.key === 'Escape') event.preventDefault()
    if (step === undefined) return
    event.preventDefault()
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    all[(at + step + all.length) % all.length]?.focus()
  }

  return (
    <>
      <span ref={button} className="kit-menu-button">
        <IconButton
          icon={icon}
          label={label}
          tip="end"
          aria-haspopup="menu"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => (open ? close() : show())}
        />
      </span>
      <div
        ref={list}
        id={id}
        className="kit-menu"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        onToggle={(event) => setOpen(event.newState === 'open')}
        onKeyDown={move}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            className={item.danger === true ? 'kit-menu-item kit-menu-danger' : 'kit-menu-item'}
            disabled={item.disabled}
            onClick={() => {
              close()
              item.run()
            }}
          >
            {item.icon !== undefined && <Icon name={item.icon} size={18} />}
            <span>{item.label}</span>
            {item.shortcut !== undefined && <kbd>{item.shortcut}</kbd>}
          </button>
        ))}
      </div>
    </>
  )
}
