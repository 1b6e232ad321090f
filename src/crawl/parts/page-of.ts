import type { Answer } from './answer.ts'
import type { Page } from './module.ts'
import type { PageFacts } from './page-facts.ts'
import { openBody } from './rewindable-body.ts'
import type { StoredVersion } from './storage.ts'

/** An answer as modules see it. Text, title and links are extracted once, on demand. */
export function pageOf(answer: Answer): Page & Pick<StoredVersion, 'versionId'> {
  const { url, parent, kind, status, reason, type, location, at: fetchedAt, isCut, versionId } = answer
  const body = openBody(answer.body)
  const headers = Object.freeze(pairs(answer.headers))
  let found: Promise<PageFacts> | null = null

  async function find(): Promise<PageFacts> {
    // Loaded on demand, so that a module's thread restarts faster after a fault.
    const { readPageFacts } = await import('./page-facts.ts')
    const contentType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? type
    return readPageFacts({ body: Buffer.from(await body.bytes()), url, contentType })
  }
  function facts(): Promise<PageFacts> {
    found ??= find()
    return found
  }

  return {
    ...{ url, parent, kind, status, reason, type, headers, location, fetchedAt, isCut, versionId, body },
    text: async () => (await facts()).text(),
    title: async () => (await facts()).title,
    links: async () => (await facts()).links,
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  const found: [string, string][] = []
  for (let at = 0; at + 1 < flat.length; at += 2) found.push([flat[at]!, flat[at + 1]!])
  return found
}
