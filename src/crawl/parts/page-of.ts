import { sharedMedia } from '../../archive/body-reader.ts'
import { documentText } from '../../core/text/document-text.ts'
import { headerValue } from '../fetch/fetch-result.ts'
import { readItemFacts } from '../worker/visit/item-facts.ts'
import type { Answer } from './answer.ts'
import type { Page } from './module.ts'
import { openBody } from './rewindable-body.ts'
import type { StoredVersion } from './storage.ts'

const MAX_LINKS = 10_000

/** An answer as modules see it. Text, title and links are found when a module asks, once. */
export function pageOf(answer: Answer): Page & Pick<StoredVersion, 'versionId'> {
  const { url, parent, kind, status, reason, type, location, at: fetchedAt, isCut, versionId } = answer
  const body = openBody(answer.body)
  const headers = Object.freeze(pairs(answer.headers))
  let readable: Promise<{ body: Buffer; contentType: string }> | null = null
  let facts: Promise<{ title: string; links: string[] }> | null = null

  /** The body, or for documents such as PDF the page that it can be turned into. */
  function asText() {
    readable ??= (async () => {
      const document = {
        ...{ body: Buffer.from(await body.bytes()), url },
        contentType: headerValue(answer.headers, 'content-type') ?? type,
      }
      const media = sharedMedia()
      const text = media.converts(document) ? await media.read(document) : null
      return text?.kind === 'converted' ? { ...document, ...text } : document
    })()
    return readable
  }

  function factsOf() {
    facts ??= asText().then((text) => readItemFacts(text.body, text.contentType, { url, maxLinks: MAX_LINKS }))
    return facts
  }

  return {
    ...{ url, parent, kind, status, reason, type, headers, location, fetchedAt, isCut, versionId, body },
    async text() {
      const text = await asText()
      return documentText(text.body, { contentType: text.contentType, lines: true }) ?? ''
    },
    title: async () => (await factsOf()).title,
    links: async () => (await factsOf()).links,
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  const found: [string, string][] = []
  for (let at = 0; at + 1 < flat.length; at += 2) found.push([flat[at]!, flat[at + 1]!])
  return found
}
