/** A rate limit: `perSecond` checks a second on average, `burst` at once after a pause. */
export type Rate = {
  perSecond: number
  burst: number
  /** Maximum debt; by default one burst. */
  debt?: number
}

/** A token bucket. It may go into debt (`Rate.debt`) for checks that do not wait (`checkNow`). */
export type Tokens = { tokens: number; filledAt: number }

/** Tolerance for floating-point error: a token that lacks less than this is complete. */
const ROUNDING = 1e-6

export function fullTokens({ burst }: Rate): Tokens {
  return { tokens: burst, filledAt: Number.NEGATIVE_INFINITY }
}

/** When the next token is available: `now` if there is one already. */
export function tokenAt(bucket: Tokens, rate: Rate, now: number): number {
  if (rate.perSecond === Number.POSITIVE_INFINITY) return now
  refill(bucket, rate, now)
  const lacking = 1 - bucket.tokens
  return lacking < ROUNDING ? now : now + (lacking * 1000) / rate.perSecond
}

/** Whether the bucket is full, so that further tokens are lost. */
export function isFull(bucket: Tokens, rate: Rate, now: number): boolean {
  refill(bucket, rate, now)
  return bucket.tokens >= rate.burst
}

export function spendToken(bucket: Tokens, rate: Rate, now: number, tokens = 1): void {
  if (rate.perSecond === Number.POSITIVE_INFINITY) return
  refill(bucket, rate, now)
  bucket.tokens = Math.min(rate.burst, Math.max(-(rate.debt ?? rate.burst), bucket.tokens - tokens))
}

function refill(bucket: Tokens, { perSecond, burst }: Rate, now: number): void {
  const gained = ((now - bucket.filledAt) * perSecond) / 1000
  // False also for NaN: no time passed at an infinite rate.
  if (gained > 0) bucket.tokens = Math.min(burst, bucket.tokens + gained)
  bucket.filledAt = now
}
