import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../crawl/fetch/secrets.ts'
import type { CredentialStore, StoredCredentials } from '../../store/contracts/credentials.ts'
import type { CredentialsKey } from './credentials-key.ts'
import { type SecretValues, unseal } from './sealing.ts'

export type SecretOpenerDeps = {
  store: Pick<CredentialStore, 'find' | 'noteUsed' | 'noteFailed'>
  key: CredentialsKey
  clock: Clock
}

/** Changed credentials take effect within this time. */
const CACHE_MS = 5_000
const MAX_CACHED = 1_000
/** Use is recorded at most this often, as there are many requests. */
const NOTE_EVERY_MS = 60_000
const MAX_REASON = 200

type Opened = { stored: StoredCredentials; secret: SecretValues; until: number }

/**
 * Opens credentials for crawl threads. Credentials that a source refused are not tried again until they are changed, or until an hour has
 * passed, then two, up to a day, so that retries lock no one out. All threads and processes learn this from the store.
 */
export function createSecretOpener({ store, key, clock }: SecretOpenerDeps): Secrets {
  const cache = new Map<string, Opened>()

  async function find(id: string): Promise<Opened | null> {
    const known = cache.get(id)
    if (known !== undefined && known.until > clock.monotonic()) return known
    cache.delete(id)
    const stored = await store.find(id)
    if (stored === null) return null
    if (cache.size >= MAX_CACHED) cache.clear()
    const opened = { stored, secret: unseal(key, stored, stored.sealed), until: clock.monotonic() + CACHE_MS }
    cache.set(id, opened)
    return opened
  }

  return {
    async open(id) {
      const opened = await find(id)
      if (opened === null) return null
      const { failedSince, retryAt } = opened.stored
      if (retryAt > clock.now())
        throw new AppError(
          'sign-in-failed',
          `sign-in failed since ${minuteText(failedSince)}; the next try is at ${minuteText(retryAt)}, or when the credentials are changed`,
        )
      return opened.secret
    },
    async noteFailed(id, reason) {
      const opened = cache.get(id) ?? (await find(id))
      if (opened === null) return
      const { changedAt } = opened.stored
      cache.delete(id)
      await store.noteFailed(id, { changedAt, at: clock.now(), reason: harmless(reason, opened.secret) })
    },
    async noteUsed(id) {
      const opened = cache.get(id) ?? (await find(id))
      if (opened === null) return
      const { changedAt, usedAt, failedSince } = opened.stored
      const at = clock.now()
      if (failedSince === 0 && at - usedAt < NOTE_EVERY_MS) return
      opened.stored = { ...opened.stored, usedAt: at, failedSince: 0, retryAt: 0 }
      await store.noteUsed(id, { changedAt, at })
    },
  }
}

/** For example `2026-11-17 03:20 UTC`. */
function minuteText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Removes secret values from a server's message, which may quote them. Longest first: a password may contain the user's name. */
function harmless(reason: string, { kind: _, ...values }: SecretValues): string {
  let text = reason.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ').trim()
  for (const value of Object.values(values).toSorted((a, b) => b.length - a.length))
    if (value.length > 2) text = text.replaceAll(value, '…')
  return text.slice(0, MAX_REASON)
}
