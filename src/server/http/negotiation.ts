import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'

type Range = { type: string; quality: number }

/** Longer headers are truncated. */
const MAX_ACCEPT_CHARS = 2000
const range = /^([\w!#$&^.+*-]+\/[\w!#$&^.+*-]+)$/
const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * The offered media type that the caller prefers (RFC 9110, 12.5.1): the most specific range that covers a type gives its
 * weight; on a tie, the first offer wins. Sets the `Vary` header.
 */
export function negotiate<T extends string>(request: FastifyRequest, reply: FastifyReply, offers: readonly T[]): T {
  reply.header('vary', 'Accept')
  const { accept } = request.headers
  const best = accept === undefined ? offers[0] : preferred(accept, offers)
  if (best === undefined) throw new AppError('not-acceptable', `available types: ${offers.join(', ')}`)
  return best
}

export function preferred<T extends string>(accept: string, offers: readonly T[]): T | undefined {
  const ranges = rangesOf(accept.slice(0, MAX_ACCEPT_CHARS))
  let best: T | undefined
  let bestQuality = 0
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges)
    if (quality <= bestQuality) continue
    best = offer
    bestQuality = quality
  }
  return best
}

function rangesOf(accept: string): Range[] {
  const ranges: Range[] = []
  for (const part of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim())
    const type = range.exec(name)?.[1]
    if (type === undefined) continue
    const given = parameters.find((each) => each.startsWith('q='))
    // An invalid weight is ignored.
    const quality = given === undefined ? 1 : Number(weight.exec(given)?.[1] ?? 1)
    ranges.push({ type, quality })
  }
  // A header without any valid range is ignored, too.
  return ranges.length === 0 ? [{ type: '*/*', quality: 1 }] : ranges
}

function qualityOf(offer: string, ranges: readonly Range[]): number {
  const family = `${offer.split('/', 1)[0]}/*`
  for (const type of [offer, family, '*/*']) {
    const found = ranges.filter((each) => each.type === type)
    if (found.length > 0) return Math.max(...found.map(({ quality }) => quality))
  }
  return 0
}
