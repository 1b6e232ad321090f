import type { Blocks, Change, Piece } from '../../core/change/change.ts'
import { changeLine } from '../../core/change/change-line.ts'
import { ignoreFor } from '../../core/change/noise/ignore-block.ts'
import type { ChangeReport, ReportedChange } from '../../core/reports/history-report.ts'
import { listChanges } from './change-list.ts'
import type { DiffBudget } from './sequence-diff.ts'

export type ReportedChanges = ChangeReport & { coarse: boolean }

/** Limits of a report: more would not be read, and all of it would be held in memory several times. */
const maxChanges = 2_000
const maxText = 20_000
/** Changes that offer an ignore rule. People who ignore block by block get no further. */
const maxIgnorable = 200
const maxTexts = 2_000_000

export const nothingChanged: ReportedChanges = {
  changes: [],
  changeCount: 0,
  line: { text: '', parts: [], more: 0 },
  coarse: false,
}

/** What changed, limited to a size that can be sent and shown. */
export function reportChanges(old: Blocks, next: Blocks, budget?: DiffBudget): ReportedChanges {
  const { changes, coarse } = listChanges(old, next, budget)
  const reported: ReportedChange[] = []
  const places = new Map<string, number>()
  for (const { place } of next.blocks) places.set(place, (places.get(place) ?? 0) + 1)
  let size = 0
  for (const change of changes) {
    if (reported.length === maxChanges || size >= maxTexts) break
    const short = shortened(change)
    size += (short.before ?? '').length + (short.after ?? '').length
    const isFirst = reported.length < maxIgnorable
    reported.push(isFirst ? { ...short, ignore: ignoreFor(change, places) } : short)
  }
  return { changes: reported, changeCount: changes.length, line: changeLine(changes), coarse }
}

function shortened(change: Change): Change {
  const { before = '', after = '', pieces } = change
  if (before.length <= maxText && after.length <= maxText) return change
  return {
    ...change,
    ...(change.before === undefined ? {} : { before: cut(before, maxText) }),
    ...(change.after === undefined ? {} : { after: cut(after, maxText) }),
    ...(pieces === undefined ? {} : { pieces: shortenedPieces(pieces) }),
  }
}

/** Unchanged text kept around a change, enough to locate it. */
const maxSame = 1_000

function shortenedPieces(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = []
  let room = maxText
  for (const [i, { kind, text }] of pieces.entries()) {
    if (room <= 0) break
    const isFirst = i === 0 && kind === 'same' && text.length > maxSame
    const short = isFirst
      ? `…${text.slice(-maxSame).toWellFormed()}`
      : cut(text, Math.min(room, kind === 'same' ? maxSame : room))
    room -= short.length
    kept.push({ kind, text: short })
  }
  return kept
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`
}
