import type { Block } from '../../core/change/change.ts'
import type { PairUp } from './keyed-pairs.ts'

/** Fewer rows may also be numbered places with a state, such as rooms that are free. */
const minRows = 4
const rank = /^#?\d{1,3}[.)]?$/
const holdsName = /\p{L}{2}|\p{L}\p{M}+\p{L}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u

/**
 * Pairs the rows of a ranking by the name after the rank, in any order: a club that moves up is the same club. Only if every name of
 * the table is unique in both versions, as the states of numbered rooms are not.
 */
export function createRankedRows(old: readonly Block[], next: readonly Block[]) {
  let tables: readonly [Tables, Tables] | null = null
  return (from: readonly number[], to: readonly number[], pair: PairUp): void => {
    const ranked = (blocks: readonly Block[], places: readonly number[]): number[] =>
      places.filter((place) => nameOf(blocks[place]!) !== '')
    const rows = ranked(old, from)
    const newRows = rows.length === 0 ? [] : ranked(next, to)
    if (newRows.length === 0) return
    tables ??= [tablesOf(old), tablesOf(next)]
    const waiting = new Map(rows.filter((place) => isRanking(old[place]!, tables!)).map((at) => [idOf(old[at]!), at]))
    for (const place of newRows) {
      const partner = waiting.get(idOf(next[place]!))
      if (partner !== undefined) pair(partner, place)
    }
  }
}

/** Of the rows at one place: how many there are, and whether each has a name of its own. */
type Tables = Map<string, { names: Set<string>; count: number }>

function tablesOf(blocks: readonly Block[]): Tables {
  const tables: Tables = new Map()
  for (const block of blocks) {
    const name = nameOf(block)
    if (name === '') continue
    const table = tables.get(tableOf(block)) ?? { names: new Set(), count: 0 }
    tables.set(tableOf(block), table)
    table.names.add(name)
    table.count++
  }
  return tables
}

function isRanking(block: Block, tables: readonly [Tables, Tables]): boolean {
  return tables.every((each) => {
    const table = each.get(tableOf(block))
    return table !== undefined && table.count >= minRows && table.names.size === table.count
  })
}

const tableOf = ({ place, trail }: Block): string => `${place}\n${trail.at(-1) ?? ''}`
const idOf = (block: Block): string => `${tableOf(block)}\n${nameOf(block)}`

/** The second of at least three cells, if the first is only a number; '' otherwise. */
function nameOf({ kind, text }: Block): string {
  const end = kind === 'row' ? text.indexOf('\t') : -1
  if (end <= 0 || end > 6 || !rank.test(text.slice(0, end))) return ''
  const nameEnd = text.indexOf('\t', end + 1)
  const name = nameEnd === -1 ? '' : text.slice(end + 1, nameEnd)
  return holdsName.test(name) ? name : ''
}
