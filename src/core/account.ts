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
}

export const defaultAccountSettings: AccountSettings = { timeZone: '', shortcuts: true }
