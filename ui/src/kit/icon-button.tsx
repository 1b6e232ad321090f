import './button.css'
import type { ButtonHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & {
  icon: IconName
  /** Announced by screen readers and shown in the tooltip. */
  label: string
  shortcut?: string
  filled?: boolean
  /** Set for a toggle button. */
  pressed?: boolean
  /** The edge the tooltip aligns to when the button is near the edge of the window. */
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
        {/* Rendered by CSS, so that it is not part of the button's name. */}
        {shortcut !== undefined && <kbd data-keys={shortcut} />}
      </span>
    </button>
  )
}
