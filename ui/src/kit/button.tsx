import './button.css'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from 'wouter'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonLook = 'plain' | 'primary' | 'quiet' | 'danger'
type Common = { look?: ButtonLook; icon?: IconName; small?: boolean; children: ReactNode }
type Props = Common & ButtonHTMLAttributes<HTMLButtonElement>

function classOf({ look = 'plain', small = false }: Pick<Common, 'look' | 'small'>, more?: string): string {
  return classNames('kit-button', `kit-button-${look}`, small && 'kit-button-small', more)
}

export function Button({ look = 'plain', icon, small = false, className, children, type = 'button', ...rest }: Props) {
  return (
    <button type={type} className={classOf({ look, small }, className)} {...rest}>
      {icon !== undefined && <Icon name={icon} size={18} />}
      {children}
    </button>
  )
}

type LinkProps = Common & { href: string; className?: string; title?: string; external?: boolean }

/** A link that looks like a button; `external` opens a new tab without a referrer or opener. */
export function ButtonLink({
  href,
  look = 'plain',
  icon,
  small = false,
  className,
  title,
  external,
  children,
}: LinkProps) {
  const inside = (
    <>
      {icon !== undefined && <Icon name={icon} size={18} />}
      {children}
    </>
  )
  const shared = { className: classOf({ look, small }, className), ...(title !== undefined && { title }) }
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
