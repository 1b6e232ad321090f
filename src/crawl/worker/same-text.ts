import { type TextSource, textFingerprint } from '../../core/text/document-text.ts'
import type { OmitRules } from '../../core/text/omit-rules.ts'
import type { KnownDocument } from '../../store/contracts/documents.ts'

/** The visible text of a page held against that of the version that is kept. */
export type TextComparison = {
  /** Fingerprint of the new text; null where nobody needed it, or where the type has none. */
  text: Buffer | null
  /** The version with the same text; 0 for none. */
  sameTextAs: number
}

/** Fingerprint of the text of a version under these rules; null where its body is not there. */
export type KeptText = (versionId: number, omit: OmitRules | null) => Promise<Buffer | null>

const notCompared: TextComparison = { text: null, sameTextAs: 0 }

export type TextQuestion = {
  known: KnownDocument | null
  digest: Buffer
  body: Buffer
  contentType: string | undefined
  truncated: string
  omit: OmitRules | null
}

/**
 * The text is taken out only where the bytes differ from what is kept: on a first crawl nobody pays for it. The kept text is that of the
 * same rules, whatever they were when it was fetched; where its body was collected, a fingerprint was left in its place.
 */
export async function compareText(question: TextQuestion, keptText: KeptText): Promise<TextComparison> {
  const { known, digest, body, contentType, omit } = question
  if (known === null || known.versionId === 0 || digest.equals(known.digest)) return notCompared
  const source: TextSource = { contentType, omit }
  const text = textFingerprint(body, source)
  if (text === null || question.truncated !== known.truncated) return { text, sameTextAs: 0 }
  const rules = omit?.id ?? 0
  const before = known.text !== null && known.textRules === rules ? known.text : await keptText(known.versionId, omit)
  return { text, sameTextAs: before !== null && text.equals(before) ? known.versionId : 0 }
}
