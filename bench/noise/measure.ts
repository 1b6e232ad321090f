import { listChanges } from '../../src/archive/diff/change-list.ts'
import type { Blocks, Change } from '../../src/core/change/change.ts'
import { learn, mutedBy, noNoise } from '../../src/core/change/noise/learning.ts'
import { readBlocks } from '../../src/core/text/blocks.ts'
import type { BenchDocument } from './documents.ts'
import type { EditKind } from './kinds.ts'

export const CHECKS = 5
/** After this check, noise should no longer notify. */
const LEARNED = 3

export type Counts = { told: number; of: number }
/** `steady`: wanted edits notified when they change at every check. `late`: noise notified after it should have been learned. */
export type Result = { kind: EditKind; late: Counts; all: Counts; steady: Counts }

/** Whether each check after the first notified; `states` has the state of the document at each check. */
function notified(kind: EditKind, document: BenchDocument, states: readonly number[]): boolean[] {
  const read = (n: number): Blocks =>
    readBlocks(Buffer.from(kind.body(document, n)), { contentType: kind.type ?? 'text/html; charset=utf-8' })!
  let noise = noNoise
  let version = 1
  let isStable = false
  return states.slice(1).map((state, k) => {
    const changes: readonly Change[] = state === states[k] ? [] : listChanges(read(states[k]!), read(state)).changes
    if (changes.length === 0) {
      isStable = true
      return false
    }
    version++
    noise = learn(noise, { n: version, at: version, wasStable: isStable, changes, undone: new Set() })
    isStable = false
    const isMuted = mutedBy(noise, version)
    return changes.some((change) => isMuted(change) === null)
  })
}

const everyCheck = Array.from({ length: CHECKS }, (_, k) => k + 1)

export function measure(kind: EditKind, documents: readonly BenchDocument[]): Result {
  const result: Result = { kind, late: { told: 0, of: 0 }, all: { told: 0, of: 0 }, steady: { told: 0, of: 0 } }
  const add = (counts: Counts, told: readonly boolean[]): void => {
    counts.told += told.filter(Boolean).length
    counts.of += told.length
  }
  for (const document of documents) {
    const each = notified(kind, document, everyCheck)
    if (!kind.isWanted) {
      add(result.late, each.slice(LEARNED - 1))
      add(result.all, each)
      continue
    }
    add(result.steady, each)
    for (let at = 1; at < CHECKS; at++) {
      const once = notified(
        kind,
        document,
        everyCheck.map((_, k) => (k < at ? 1 : 2)),
      )
      add(result.all, [once[at - 1]!])
    }
  }
  return result
}

export const sum = (counts: readonly Counts[]): Counts => ({
  told: counts.reduce((total, { told }) => total + told, 0),
  of: counts.reduce((total, { of }) => total + of, 0),
})
