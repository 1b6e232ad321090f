import './button.css'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from 'wouter'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

type ButtonVariant = 'plain' | 'primary' | 'quiet' | 'danger'
/** `label` is the text; `children` replaces it for content with markup. */
type Common = {
  variant?: ButtonVariant
  icon?: IconName | undefined
  small?: boolean
  label?: string
  children?: ReactNode
}

/** Returns the class and the contents of a button; other props pass through to its element. */
function asButton<Rest extends { className?: string | undefined }>(props: Common & Rest) {
  const { variant = 'plain', small = false, icon, label, children, className, ...rest } = props
  return {
    ...rest,
    className: classNames('kit-button', `kit-button-${variant}`, small && 'kit-button-small', className),
    children: (
      <>
        {icon !== undefined && <Icon name={icon} size={18} />}
        {label}
        {children}
      </>
    ),
  }
}

export function Button(props: Common & ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" {...asButton(props)} />
}

type LinkProps = Common & { href: string; className?: string; title?: string; external?: boolean }

/** A link that looks like a button; `external` opens a new tab without a referrer or opener. */
export function ButtonLink({ external = false, ...props }: LinkProps) {
  return external ? <a target="_blank" rel="noreferrer noopener" {...asButton(props)} /> : <Link {...asButton(props)} />
}

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & {
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
}: IconButtonProps) {
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
