import type { ServiceLevel } from './profile.ts'

export const roles = ['user', 'administrator'] as const
export type Role = (typeof roles)[number]

/** Permissions of a token. `read` and `write` cover its owner's data, `admin` that of all accounts; each includes those before it. */
export const tokenScopes = ['read', 'write', 'admin'] as const
export type TokenScope = (typeof tokenScopes)[number]

/** A user who can sign in. The e-mail address, in lower case, identifies the owner of profiles and annotations. */
export type Account = {
  id: number
  email: string
  name: string
  role: Role
  level: ServiceLevel
  disabled: boolean
  createdAt: number
  settings: AccountSettings
}

export type AccountSettings = {
  /** IANA name; '' to use the browser's time zone. */
  timeZone: string
  /** Whether single-key shortcuts are enabled. */
  shortcuts: boolean
  theme: Theme
  notifications: NotificationSettings
}

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Defaults for profiles that don't set these themselves. */
export type NotificationSettings = {
  /** Quiet hours in the account's time zone, such as 22:00 to 07:00: nothing is sent then. */
  quiet: { from: string; to: string } | null
  /** Annotations of at least this urgency are sent immediately; null for none. */
  urgentFrom: number | null
  /** Messages per hour on each channel. */
  perHour: number | null
}

export const defaultAccountSettings: AccountSettings = {
  timeZone: '',
  shortcuts: true,
  theme: 'system',
  notifications: { quiet: null, urgentFrom: null, perHour: null },
}
