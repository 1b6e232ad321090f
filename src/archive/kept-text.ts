import { readAspects } from '../core/change/aspects.ts'
import type { Aspect } from '../core/profile.ts'
import { type BodyWork, ownThread } from '../core/text/body-work.ts'
import type { OmitRules } from '../core/text/omit-rules.ts'
import type { ObjectStore } from '../store/contracts/objects.ts'
import type { VersionStore } from '../store/contracts/versions.ts'
import { createBodyReader } from './body-reader.ts'

export type KeptTextDeps = {
  versions: Pick<VersionStore, 'version'>
  objects: Pick<ObjectStore, 'read'>
  work?: BodyWork
}

export type KeptTexts = {
  /** Text fingerprint of a kept version; null if there is no body or no text. */
  text(versionId: number, omit: OmitRules | null): Promise<Buffer | null>
  /** The requested aspects, as one text; null if there is no body. */
  aspects(versionId: number, asked: readonly Aspect[]): Promise<string | null>
  /** The body as it was fetched; null if there is none. */
  body(versionId: number): Promise<KeptBody | null>
}

export type KeptBody = { body: Buffer; contentType: string | undefined }

/** Bodies are read in as many lanes: each is in memory until it is compared, and hundreds of pages may change at a time. */
const LANES = 32

export function createKeptText({ versions, objects, work = ownThread }: KeptTextDeps): KeptTexts {
  const bodies = createBodyReader({ versions, objects, digestOf: work.digest })
  const lanes: Promise<unknown>[] = new Array(LANES).fill(Promise.resolve())
  let turn = 0

  function inLane<T>(read: () => Promise<T>): Promise<T> {
    const lane = turn++ % LANES
    const reading = lanes[lane]!.then(read)
    // Failures are the caller's; the next one in the lane reads all the same.
    lanes[lane] = reading.catch(() => {})
    return reading
  }

  async function textOf(versionId: number, omit: OmitRules | null): Promise<Buffer | null> {
    const version = await versions.version(versionId)
    const found = version === null ? null : await bodies.readText(version)
    return found?.kind === 'body' ? work.fingerprint(found.body, { contentType: found.contentType, omit }) : null
  }

  return {
    async body(versionId) {
      const version = await versions.version(versionId)
      const found = version === null ? null : await bodies.read(version)
      return found?.kind === 'body' ? { body: found.body, contentType: found.contentType } : null
    },
    text: (versionId, omit) => inLane(() => textOf(versionId, omit)),
    async aspects(versionId, asked) {
      const version = await versions.version(versionId)
      const found = version === null ? null : await bodies.readText(version)
      if (version === null || found?.kind !== 'body') return null
      const { body, contentType, header } = found
      return JSON.stringify(readAspects({ body, contentType, header, url: version.url, status: version.status }, asked))
    },
  }
}
