import './button.css'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from 'wouter'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

type ButtonVariant = 'plain' | 'primary' | 'quiet' | 'danger'
/** `label` is its text; `children` instead where it has parts. */
type Common = { variant?: ButtonVariant; icon?: IconName; small?: boolean; label?: string; children?: ReactNode }
type Props = Common & ButtonHTMLAttributes<HTMLButtonElement>

function classOf({ variant = 'plain', small = false }: Pick<Common, 'variant' | 'small'>, more?: string): string {
  return classNames('kit-button', `kit-button-${variant}`, small && 'kit-button-small', more)
}

export function Button({
  variant = 'plain',
  icon,
  small = false,
  className,
  label,
  children,
  type = 'button',
  ...rest
}: Props) {
  return (
    <button type={type} className={classOf({ variant, small }, className)} {...rest}>
      {icon !== undefined && <Icon name={icon} size={18} />}
      {label}
      {children}
    </button>
  )
}

type LinkProps = Common & { href: string; className?: string; title?: string; external?: boolean }

/** A link that looks like a button; `external` opens a new tab without a referrer or opener. */
export function ButtonLink({
  href,
  variant = 'plain',
  icon,
  small = false,
  className,
  title,
  external,
  label,
  children,
}: LinkProps) {
  const inside = (
    <>
      {icon !== undefined && <Icon name={icon} size={18} />}
      {label}
      {children}
    </>
  )
  const shared = { className: classOf({ variant, small }, className), ...(title !== undefined && { title }) }
  if (external !== true) {
    return (
      <Link href={href} {...shared}>
        {inside}
      </Link>
    )
  }
  return (
    <a href={href} target="_blank" rel="noreferrer noopener" {...shared}>
      {inside}
    </a>
  )
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
