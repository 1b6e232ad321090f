import { hash } from 'node:crypto'
import { sourceText } from '../../archive/history/version-report.ts'
import type { Blocks } from '../../core/change/change.ts'
import { conditionWords, isMet, readCondition } from '../../core/price/conditions.ts'
import { mentionsOffer, readOffers } from '../../core/price/offer.ts'
import { parsePrice } from '../../core/price/parse-price.ts'
import { availabilityInText } from '../../core/price/stock-words.ts'
import type { Source } from '../../core/profile.ts'
import type { AnnotationStore } from '../../store/contracts/annotations.ts'
import type { PriceReading, PriceRow, Version, VersionStore } from '../../store/contracts/versions.ts'
import type { Recipient } from './recipients.ts'
import type { Content } from './source-blocks.ts'

/** Prices of one version, for all its recipients. */
export type PriceStep = {
  /** The conditions of its source now met, in words; null for a source without conditions. Reads the price if the source needs it. */
  of(recipient: Recipient, page: Blocks | null): Promise<string[] | null>
  /** Readings to store: those that differ from the one before. */
  rows(): PriceRow[]
}

type PriceStepDeps = { versions: Pick<VersionStore, 'prices'>; annotations: Pick<AnnotationStore, 'last'> }

/** Maximum number of earlier readings: more than a year of daily changes. */
const MAX_READINGS = 500
/** Characters of a selected part that are searched for a price. */
const MAX_PART_TEXT = 500

/** Sources with the same key read the same number from a page; '' for the price declared in its metadata. */
export function pricePartOf({ select, omit }: Pick<Source, 'select' | 'omit'>): string {
  return select.length === 0 ? '' : hash('sha256', JSON.stringify([select, omit])).slice(0, 16)
}

export function createPriceSteps(deps: PriceStepDeps): (version: Version, content: Content | null) => PriceStep {
  return (version, content) => {
    const known = new Map<string, Promise<{ now: PriceReading | null; earlier: PriceRow[] }>>()
    const rows: PriceRow[] = []
    let declared: PriceReading | null | undefined

    function declaredOffer(): PriceReading | null {
      declared ??= content === null ? null : offerOf(content)
      return declared
    }

    async function read(part: string, page: Blocks | null) {
      const now = (part === '' ? null : readingOfText(page)) ?? declaredOffer()
      const found = await deps.versions.prices(version.documentId, { part, limit: MAX_READINGS })
      // A repeated task finds its own reading.
      const earlier = found.filter(({ versionId }) => versionId < version.id)
      if (now !== null && !isSame(now, earlier.at(-1)))
        rows.push({ documentId: version.documentId, versionId: version.id, part, at: version.firstSeenAt, ...now })
      return { now, earlier }
    }

    return {
      async of({ source, profile }, page) {
        const isNeeded = source.conditions.length > 0 || (source.process === 'track' && source.depth === 0)
        if (!isNeeded) return null
        const part = pricePartOf(source)
        const reading = known.get(part) ?? read(part, page)
        known.set(part, reading)
        const { now, earlier } = await reading
        if (source.conditions.length === 0) return null
        if (now === null) return []
        const last = await deps.annotations.last(profile.id, version.documentId)
        const since = earlier.findLastIndex(({ versionId }) => versionId <= (last?.versionId ?? 0))
        return metOf(source.conditions, earlier.slice(Math.max(0, since)), now)
      },
      rows: () => rows,
    }
  }
}

function metOf(conditions: readonly string[], since: readonly PriceReading[], now: PriceReading): string[] {
  return conditions.flatMap((text) => {
    const condition = readCondition(text)
    return condition !== null && isMet(condition, since, now) ? [conditionWords(condition)] : []
  })
}

function offerOf({ body, contentType }: Content): PriceReading | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  if (!mentionsOffer(bytes)) return null
  const [offer] = readOffers(sourceText(bytes, contentType) ?? '')
  if (offer === undefined) return null
  const { amount, currency, availability } = offer
  return { amount, currency, availability }
}

function readingOfText(page: Blocks | null): PriceReading | null {
  const text = (page?.blocks ?? [])
    .filter(({ kind }) => kind !== 'title')
    .map((block) => block.text)
    .join(' ')
    .slice(0, MAX_PART_TEXT)
  const { amount, code, currency } = parsePrice(text)
  const availability = availabilityInText(text)
  if (amount === null && availability === 'unknown') return null
  return { amount, currency: code || (currency ?? ''), availability }
}

function isSame(now: PriceReading, before: PriceReading | undefined): boolean {
  return (
    before !== undefined &&
    before.amount === now.amount &&
    before.currency === now.currency &&
    before.availability === now.availability
  )
}
