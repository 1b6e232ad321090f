import type { Static } from 'typebox'
import type { Account } from '../../../core/account.ts'
import type { Caller } from '../../../services/accounts/callers.ts'
import type { Session } from '../../../store/contracts/accounts/sessions.ts'
import type { Token as StoredToken } from '../../../store/contracts/accounts/tokens.ts'
import type { Me, SessionItem, SessionState, Token, User } from '../../schemas/accounts.ts'

const timeOf = (ms: number): string => new Date(ms).toISOString()
/** 0 means never. */
const maybeTimeOf = (ms: number): string | null => (ms === 0 ? null : timeOf(ms))

export function userAnswer({ id, email, name, role, level, disabled, createdAt }: Account): Static<typeof User> {
  return { id, email, name, role, level, disabled, createdAt: timeOf(createdAt) }
}

export function meAnswer(account: Account): Static<typeof Me> {
  const { timeZone, shortcuts, theme, notifications } = account.settings
  return { ...userAnswer(account), timeZone, shortcuts, theme, notifications }
}

export function sessionState({ account, via }: Caller): Static<typeof SessionState> {
  return { user: meAnswer(account), via }
}

export function sessionAnswer(session: Session & { current: boolean }): Static<typeof SessionItem> {
  const { id, createdAt, seenAt, expiresAt, agent, address, current } = session
  const times = { createdAt: timeOf(createdAt), seenAt: timeOf(seenAt), expiresAt: timeOf(expiresAt) }
  return { id, ...times, agent, address, current }
}

export function tokenAnswer({ id, name, scopes, createdAt, usedAt, expiresAt }: StoredToken): Static<typeof Token> {
  const times = { createdAt: timeOf(createdAt), usedAt: maybeTimeOf(usedAt), expiresAt: maybeTimeOf(expiresAt) }
  return { id, name, scopes: [...scopes], ...times }
}
