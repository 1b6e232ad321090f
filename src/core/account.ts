import type { ServiceLevel } from './profile.ts'

export const roles = ['user', 'administrator'] as const
export type Role = (typeof roles)[number]

/** What a token may be used for. `read` and `write` concern its owner's own things, `admin` everybody's; each includes those before it. */
export const tokenScopes = ['read', 'write', 'admin'] as const
export type TokenScope = (typeof tokenScopes)[number]

/** Somebody who can sign in. The e-mail address, in small letters, is the owner of profiles and annotations. */
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
  /** IANA name; '' for that of the browser. */
  timeZone: string
  /** Whether the pages obey single keys. */
  shortcuts: boolean
  theme: Theme
  notifications: NotificationSettings
}

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Used where a profile says nothing itself. */
export type NotificationSettings = {
  /** Hours of the day in the account's time zone, such as 22:00 to 07:00, in which nothing is sent. */
  quiet: { from: string; to: string } | null
  /** This urgent, an annotation waits for nothing. */
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
