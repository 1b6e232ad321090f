import type { Aspect } from '../../../core/profile.ts'
import type { QueuedRequest } from '../../../core/request.ts'
import type { BodyWork } from '../../../core/text/body-work.ts'
import type { TextSource } from '../../../core/text/document-text.ts'
import type { OmitRules } from '../../../core/text/omit-rules.ts'
import type { KnownDocument } from '../../../store/contracts/documents.ts'
import type { FetchResponse } from '../../fetch/fetch-result.ts'

/** Fingerprint of the text of a version under these rules; null if its body is not there. */
export type KeptText = (versionId: number, omit: OmitRules | null) => Promise<Buffer | null>

/** The aspects of a version as one string; null if its body is not there. */
export type KeptAspects = (versionId: number, asked: readonly Aspect[]) => Promise<string | null>

/** The visible text of a page compared with that of the stored version. */
export type TextComparison = {
  /** Fingerprint of the new text; null if it was not needed, or if the type has no text. */
  text: Buffer | null
  /** The version with the same text; 0 for none. */
  sameTextAs: number
}

export const notCompared: TextComparison = { text: null, sameTextAs: 0 }

type TextQuestion = {
  known: KnownDocument | null
  digest: Buffer
  body: Buffer
  contentType: string | undefined
  truncated: string
  omit: OmitRules | null
}

/**
 * Extracts the text only if the bytes differ from the stored ones, so a first crawl does not pay for it. The stored text is compared under
 * the same rules, even if they have changed since; if its body was garbage-collected, its fingerprint was kept.
 */
export async function compareText(
  question: TextQuestion,
  keptText: KeptText,
  { fingerprint }: BodyWork,
): Promise<TextComparison> {
  const { known, digest, body, contentType, omit } = question
  if (!mayDifferInText(known, digest)) return notCompared
  const source: TextSource = { contentType, omit }
  const text = await fingerprint(body, source)
  if (text === null || question.truncated !== known.truncated) return { text, sameTextAs: 0 }
  const rules = omit?.id ?? 0
  const before = known.text !== null && known.textRules === rules ? known.text : await keptText(known.versionId, omit)
  return { text, sameTextAs: before !== null && text.equals(before) ? known.versionId : 0 }
}

export function mayDifferInText(known: KnownDocument | null, digest: Buffer): known is KnownDocument {
  return known !== null && known.versionId !== 0 && !digest.equals(known.digest)
}

/** Equal bytes have equal aspects, except for status and headers. */
export function mayDiffer(known: KnownDocument, digest: Buffer, asked: readonly Aspect[]): boolean {
  return asked.some((aspect) => aspect === 'status' || aspect === 'headers' || !digest.equals(known.digest))
}

type Answered = { request: QueuedRequest; response: FetchResponse; body: Buffer; contentType: string | undefined }

/** The kept version, if it differs in one of the aspects; else 0. */
export async function differingVersion(
  versionId: number,
  { request, response, body, contentType }: Answered,
  asked: readonly Aspect[],
  { keptAspects }: { keptAspects: KeptAspects },
): Promise<number> {
  const before = await keptAspects(versionId, asked)
  if (before === null) return 0
  // Loaded on demand: rarely needed, and large.
  const { readAspects } = await import('../../../core/change/aspects.ts')
  const { rawHeaders, status, statusLine } = response
  let header = `${statusLine}\r\n`
  for (let at = 0; at < rawHeaders.length; at += 2) header += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`
  const now = JSON.stringify(readAspects({ body, contentType, url: request.url, status, header }, asked))
  return now === before ? 0 : versionId
}
