import assert from 'node:assert/strict'
import { responseRecord } from '../../archive/warc/record-writer.ts'
import { configOf } from '../../config/load-config.ts'
import { systemClock } from '../../core/clock.ts'
import type { Profile } from '../../core/profile.ts'
import { noCheck } from '../../core/request.ts'
import { bodyDigest, digestText } from '../../core/url/fingerprint.ts'
import { openOne, type StoreEngine, withSystem } from '../../store/conformance/engine.testkit.ts'
import { goneOf, pageOf } from '../../store/conformance/samples.testkit.ts'
import type { Annotation, AnnotationStore } from '../../store/contracts/annotations.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import { createProfileKeys } from '../profiles/keyed-profile.ts'
import { createLockedNearDuplicates, createNearDuplicateMemory, openNearDuplicateLock } from './near-duplicate-lock.ts'
import { createProcessor } from './processor.ts'

const config = configOf()

/** A page that is fetched repeatedly, and the annotations made from it. */
export type Stage = {
  uri: string
  /** All watch the same page. */
  put(...profiles: Profile[]): Promise<void>
  /** Fetches the page and returns the resulting annotations. */
  serve(body: string | Buffer, parts?: ServedParts): Promise<Annotation[]>
  gone(parts: Partial<Capture>): Promise<Annotation[]>
  /** Loses the bodies of all versions so far. */
  lose(): Promise<void>
  versions: VersionStore
  annotations: AnnotationStore
  /** Versions of the page, oldest first. */
  history(): Promise<Version[]>
}

/** Another page, on the first host or another one. */
type ServedParts = { type?: string; title?: string; at?: number; host?: number; path?: string }

export function withStage(engine: StoreEngine, work: (stage: Stage) => Promise<void>): () => Promise<void> {
  return withSystem(engine, {}, async (system) => {
    const shard = await openOne(system)
    const { close, ...stores } = engine.openStores(system)
    const host = system.hostOf(0, 0)
    const lost = new Set<string>()
    let watch = 0
    let at = 1_000
    const { annotations, profiles, watches } = stores
    const lock = openNearDuplicateLock(createNearDuplicateMemory())
    const made: number[] = []
    const objects: typeof shard.objects = {
      ...shard.objects,
      read: async (pointer) =>
        lost.has(JSON.stringify(pointer)) ? Buffer.from('nothing') : shard.objects.read(pointer),
    }
    const processor = createProcessor({
      stores: { ...stores, annotations, profiles, watches, versions: shard.versions, objects },
      nearDuplicates: createLockedNearDuplicates(lock, annotations),
      ...{ config, clock: systemClock, keyOf: () => null, part: 0, parts: 1 },
      events: {
        onSettled: (ids) => void made.push(...ids),
        onRefused: () => assert.fail('refused'),
        onProblem: (message, fields) => assert.fail(`${message} ${JSON.stringify(fields)}`),
      },
    })

    async function record(capture: Capture): Promise<Annotation[]> {
      made.length = 0
      await shard.documents.record([capture])
      while (await processor.work(() => false));
      return Promise.all(made.map(async (id) => (await annotations.find(id))!))
    }

    try {
      await work({
        versions: shard.versions,
        annotations,
        history: () => shard.versions.versions({ after: 0, limit: 100 }),
        uri: `http://${host}/page`,
        async put(...given) {
          await profiles.put(given.map(createProfileKeys({})))
          watch = (await profiles.urdsOf(given[0]!.id))[0]!.watch
        },
        serve(text, { type = 'text/html', title = 'Shop', host: n = 0, path = '/page', ...parts } = {}) {
          const host = system.hostOf(0, n)
          at = parts.at ?? at + 1_000
          const body = typeof text === 'string' ? Buffer.from(text) : text
          const stored = responseRecord({
            ...{ uri: `http://${host}${path}`, date: at, address: '192.0.2.1', statusLine: 'HTTP/1.1 200 OK', body },
            rawHeaders: ['content-type', type],
            payloadDigest: digestText(bodyDigest(body)),
            truncated: null,
          })
          const check = { ...noCheck, watch, round: at }
          return record(pageOf(host, path, text, { check, run: watch, at, type, title, render: () => stored.parts }))
        },
        gone(parts) {
          at = 'at' in parts ? parts.at! : at + 1_000
          return record(goneOf(host, '/page', { check: { ...noCheck, watch, round: at }, run: watch, at, ...parts }))
        },
        async lose() {
          const versions = await shard.versions.versions({ after: 0, limit: 100 })
          for (const { record } of versions) lost.add(JSON.stringify(record))
        },
      })
    } finally {
      close()
    }
  })
}
