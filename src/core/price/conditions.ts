import type { Offer } from './offer.ts'
import { parsePrice } from './parse-price.ts'

/** When to notify about a price, a stock or another number on a source's page. */
export type Condition =
  | { readonly kind: 'below'; readonly amount: number }
  | { readonly kind: 'above'; readonly amount: number }
  /** In percent of the earlier value, or an amount. */
  | { readonly kind: 'drops' | 'rises'; readonly by: number; readonly isPercent: boolean }
  | { readonly kind: 'in-stock' }
  | { readonly kind: 'changes' }

export type Reading = Pick<Offer, 'amount' | 'currency' | 'availability'>

/** `below 30`, `above 1,299.00`, `drops by 10 %`, `rises by 5`, `back in stock`, `changes`; null for anything else. */
export function readCondition(text: string): Condition | null {
  const words = text.trim().replace(/\s+/g, ' ').toLowerCase()
  if (/^(?:is )?(?:back )?in stock$/.test(words)) return { kind: 'in-stock' }
  if (/^changes(?: at all)?$/.test(words)) return { kind: 'changes' }
  const limit = /^(?:is |goes |falls |rises )?(below|above|under|over) (.{1,40})$/.exec(words)
  if (limit !== null) {
    const amount = amountOf(limit[2]!)
    if (amount === null) return null
    return { kind: limit[1] === 'below' || limit[1] === 'under' ? 'below' : 'above', amount }
  }
  const step = /^(drops|falls|rises) by (.{1,40}?)( ?%| percent)?$/.exec(words)
  if (step === null) return null
  const by = amountOf(step[2]!)
  const isPercent = step[3] !== undefined
  if (by === null || by <= 0 || (isPercent && by > 100 && step[1] !== 'rises')) return null
  return { kind: step[1] === 'rises' ? 'rises' : 'drops', by, isPercent }
}

function amountOf(text: string): number | null {
  const isNegative = /^[-−]/.test(text)
  const { amount } = parsePrice(text)
  return amount === null || !Number.isFinite(amount) ? null : isNegative ? -amount : amount
}

/** A condition in words, for messages. */
export function conditionWords(condition: Condition): string {
  switch (condition.kind) {
    case 'below':
    case 'above':
      return `${condition.kind} ${condition.amount}`
    case 'drops':
    case 'rises':
      return `${condition.kind} by ${condition.by}${condition.isPercent ? ' %' : ''}`
    case 'in-stock':
      return 'back in stock'
    case 'changes':
      return 'changes'
  }
}

/**
 * Whether the condition is met now. `since`: the readings from the last notified one on, oldest first, so that several small steps add up.
 * Below and above are met when the limit is crossed, and again when the value moves further away. The very first reading meets none: it is
 * the baseline.
 */
export function isMet(condition: Condition, since: readonly Reading[], now: Reading): boolean {
  const before = since.at(-1)
  if (before === undefined) return false
  if (condition.kind === 'in-stock') return isIn(now) && lastKnown(since)?.availability === 'out-of-stock'
  if (condition.kind === 'changes')
    return (
      before.amount !== now.amount || (hasState(before) && hasState(now) && before.availability !== now.availability)
    )
  // Amounts in another currency are not comparable.
  const comparable = since.filter(({ amount, currency }) => amount !== null && currency === now.currency)
  const last = comparable.at(-1)?.amount ?? null
  if (now.amount === null || last === null || now.amount === last) return false
  const amounts = comparable.map(({ amount }) => amount!)
  switch (condition.kind) {
    case 'below':
      return now.amount < condition.amount && now.amount < last
    case 'above':
      return now.amount > condition.amount && now.amount > last
    case 'drops': {
      const highest = Math.max(...amounts)
      return now.amount < last && highest - now.amount >= stepOf(condition, highest)
    }
    case 'rises': {
      const lowest = Math.min(...amounts)
      return now.amount > last && now.amount - lowest >= stepOf(condition, lowest)
    }
  }
}

/** Slightly less, since 10 % of 39.90 isn't exact in floating point. */
function stepOf({ by, isPercent }: { by: number; isPercent: boolean }, of: number): number {
  const step = isPercent ? (Math.abs(of) * by) / 100 : by
  return step * (1 - 1e-9)
}

const isIn = ({ availability }: Reading): boolean => availability === 'in-stock' || availability === 'limited'
const hasState = ({ availability }: Reading): boolean => availability !== 'unknown'

function lastKnown(readings: readonly Reading[]): Reading | undefined {
  return readings.findLast(hasState)
}
