import './table.css'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type Column<Row> = {
  key: string
  head: ReactNode
  cell: (row: Row) => ReactNode
  /** Numbers are right-aligned with tabular digits. */
  numbers?: boolean
  /** Hidden on narrow screens. */
  wideOnly?: boolean
}
type Props<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
}

/** A scrollable frame must be reachable by keyboard. */
const focusable = { tabIndex: 0 }

export function Table<Row>({ label, columns, rows, rowKey }: Props<Row>) {
  const classOf = (column: Column<Row>) =>
    classNames(column.numbers === true && 'kit-table-numbers', column.wideOnly === true && 'kit-table-wide')
  return (
    <section className="kit-table-frame" aria-label={label} {...focusable}>
      <table className="kit-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.key} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
