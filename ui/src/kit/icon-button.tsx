import './button.css'
import type { ButtonHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & {
  icon: IconName
  /** Said by screen readers and shown in the tooltip. */
  label: string
  shortcut?: string
  filled?: boolean
  /** For a switch: pressed or not. */
  pressed?: boolean
  /** Which edge the tooltip keeps to, near the edge of the window. */
  tip?: 'middle' | 'start' | 'end'
}

export function IconButton({
  icon,
  label,
  shortcut,
  filled = false,
  pressed,
  tip = 'middle',
  className,
  ...rest
}: Props) {
  return (
    <button
      type="button"
      className={classNames('kit-icon-button', className)}
      aria-label={label}
      aria-keyshortcuts={shortcut?.length === 1 ? shortcut : undefined}
      aria-pressed={pressed}
      {...rest}
    >
      <Icon name={icon} filled={filled} />
      <span className={classNames('kit-tip', tip !== 'middle' && `kit-tip-${tip}`)} aria-hidden="true">
        {label}
        {/* Drawn by the style sheet: it is no part of what the button is called. */}
        {shortcut !== undefined && <kbd data-keys={shortcut} />}
      </span>
    </button>
  )
}
