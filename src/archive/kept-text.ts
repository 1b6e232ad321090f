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

export function createKeptText({ versions, objects, work = ownThread }: KeptTextDeps): KeptTexts {
  const bodies = createBodyReader({ versions, objects, digestOf: work.digest })
  return {
    async body(versionId) {
      const version = await versions.version(versionId)
      const found = version === null ? null : await bodies.read(version)
      return found?.kind === 'body' ? { body: found.body, contentType: found.contentType } : null
    },
    async text(versionId, omit) {
      const version = await versions.version(versionId)
      const found = version === null ? null : await bodies.readText(version)
      return found?.kind === 'body' ? work.fingerprint(found.body, { contentType: found.contentType, omit }) : null
    },
    async aspects(versionId, asked) {
      const version = await versions.version(versionId)
      const found = version === null ? null : await bodies.readText(version)
      if (version === null || found?.kind !== 'body') return null
      const { body, contentType, header } = found
      return JSON.stringify(readAspects({ body, contentType, header, url: version.url, status: version.status }, asked))
    },
  }
}
