/**
 * Precision and recall of notifications: real documents with 40 kinds of edits, half of them wanted, through blocks, changes,
 * recognisers and learning, as a source that follows every change sees them. Five checks each, of which the first is the baseline.
 * Noise changes at every check. What is wanted changes once, at each of the four checks in turn, and in a second run at every check.
 */
import { listChanges } from '../src/archive/diff/change-list.ts'
import type { Blocks, Change } from '../src/core/change/change.ts'
import { learn, mutedBy, noNoise } from '../src/core/change/noise/learning.ts'
import { readBlocks } from '../src/core/text/blocks.ts'
import { type BenchDocument, readDocuments } from './noise/documents.ts'
import { heldOutEdits, moreEdits } from './noise/held-out.ts'
import { type EditKind, noiseEdits, wantedEdits } from './noise/kinds.ts'
import { type Benchmark, numbersOf } from './table.ts'

export const optionNames = ['documents']

const CHECKS = 5
/** After this check noise is to be quiet. */
const LEARNED = 3
const GOAL = 0.05

type Counts = { told: number; of: number }
type Result = { kind: EditKind; late: Counts; all: Counts; steady: Counts }

/** Whether each check after the first notified; `states` are those of the document at each check. */
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

function measure(kind: EditKind, documents: readonly BenchDocument[]): Result {
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

const share = ({ told, of }: Counts): number => (of === 0 ? 0 : told / of)
const sum = (counts: readonly Counts[]): Counts => ({
  told: counts.reduce((total, { told }) => total + told, 0),
  of: counts.reduce((total, { of }) => total + of, 0),
})
const percent = (counts: Counts): string => (counts.of === 0 ? '' : `${(share(counts) * 100).toFixed(1)} %`)

export const run: Benchmark = async ({ values }) => {
  const documents = readDocuments(numbersOf(values)('documents', 25))
  const rows: (string | number)[][] = []
  const statsOf = (edits: readonly EditKind[], name: string): Record<string, number> => {
    const results = edits.map((kind) => measure(kind, documents))
    for (const { kind, late, all, steady } of results)
      rows.push([name, kind.isWanted ? 'wanted' : 'noise', kind.name, percent(all), percent(late), percent(steady)])
    const wanted = results.filter(({ kind }) => kind.isWanted)
    const noise = results.filter(({ kind }) => !kind.isWanted)
    const [once, steady] = [sum(wanted.map(({ all }) => all)), sum(wanted.map((each) => each.steady))]
    const [early, late] = [sum(noise.map(({ all }) => all)), sum(noise.map((each) => each.late))]
    rows.push(
      [name, 'wanted', 'all', percent(once), '', percent(steady)],
      [name, 'noise', 'all', percent(early), percent(late), ''],
    )
    return {
      [`${name}-recall`]: share(once),
      [`${name}-recall-at-every-check`]: share(steady),
      [`${name}-noise-told-after-third-check`]: share(late),
      [`${name}-precision-after-third-check`]: once.told / (once.told + late.told * (once.of / Math.max(1, late.of))),
    }
  }
  const stats = {
    ...statsOf([...noiseEdits, ...wantedEdits], 'kinds'),
    ...statsOf(moreEdits, 'more'),
    ...statsOf(heldOutEdits, 'held-out'),
  }
  return {
    name: 'noise',
    columns: ['set', 'sort', 'edit', 'told', 'told after the third check', 'told, changing at every check'],
    rows,
    stats,
    notes: [
      `${documents.length} documents, ${CHECKS} checks each; goal: all that is wanted told, at most ${GOAL * 100} % of noise after the third check`,
    ],
  }
}
