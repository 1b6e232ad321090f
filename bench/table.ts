import { AppError } from '../src/core/errors.ts'

/** `--root DIR` (repeatable) and every other `--name value` of the command line. */
export type BenchOptions = { roots: string[]; values: Record<string, string> }

export type BenchTable = {
  name: string
  columns: string[]
  rows: (string | number)[][]
  /** Compared with the budgets. Ratios come first, since they mean the same on every machine. */
  stats: Record<string, number>
  /** Conditions of the measurement. */
  notes?: string[]
}

export type Benchmark = (options: BenchOptions) => Promise<BenchTable>

/** Reads options that are whole numbers above 0. */
export function numbersOf(values: BenchOptions['values']): (name: string, fallback: number) => number {
  return (name, fallback) => {
    const value = Number(values[name] ?? fallback)
    if (Number.isInteger(value) && value > 0) return value
    throw new AppError('usage-wrong', `--${name} must be a whole number above 0`)
  }
}

/** Reads an option that names some of a benchmark's parts; all of them by default. */
export function chosenOf<T extends string>(option: string, given: string | undefined, all: readonly T[]): readonly T[] {
  if (given === undefined) return all
  const names = given.toLowerCase().split(',')
  const unknown = names.find((name) => !all.some((each) => each.toLowerCase() === name))
  if (unknown === undefined) return all.filter((each) => names.includes(each.toLowerCase()))
  throw new AppError('usage-wrong', `--${option} ${unknown} is unknown; expected some of ${all.join(',')}`)
}

/** An aligned table, its notes, then one JSON line for each result. */
export function formatTable(table: BenchTable): string {
  const cells = [table.columns, ...table.rows.map((row) => row.map(formatCell))]
  const widths = table.columns.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  const numeric = table.columns.map((_, column) =>
    table.rows.every((row) => typeof row[column] !== 'string' || row[column] === ''),
  )
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (numeric[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '))
  const stats = Object.entries(table.stats).map(([figure, value]) =>
    JSON.stringify({ bench: table.name, figure, value: Number(value.toPrecision(4)) }),
  )
  return [`# ${table.name}`, ...lines, ...(table.notes ?? []).map((note) => `- ${note}`), ...stats, ''].join('\n')
}

function formatCell(cell: string | number): string {
  if (typeof cell === 'string') return cell
  if (Number.isInteger(cell)) return `${cell}`
  return Math.abs(cell) >= 100 ? cell.toFixed(0) : cell.toPrecision(3)
}
