/**
 * Precision and recall of notifications: real documents with 40 kinds of edits, half of them wanted, go through blocks, changes,
 * recognisers and learning, as for a source that follows every change. Five checks each; the first is the baseline. Noise changes at
 * every check. Wanted edits occur once, at each of the four checks in turn, and in a second run at every check.
 */
import { readDocuments } from './noise/documents.ts'
import { heldOutEdits, moreEdits } from './noise/held-out.ts'
import { type EditKind, noiseEdits, wantedEdits } from './noise/kinds.ts'
import { CHECKS, type Counts, measure, sum } from './noise/measure.ts'
import { phrasedEdits } from './noise/phrasings.ts'
import { type Benchmark, numbersOf } from './table.ts'

export const optionNames = ['documents']

const GOAL = 0.05

const share = ({ told, of }: Counts): number => (of === 0 ? 0 : told / of)
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
    ...statsOf(phrasedEdits, 'phrasings'),
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
