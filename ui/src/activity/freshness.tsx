import type { Crawl } from '../api/types.ts'
import { formatSpan } from '../kit/strings.ts'
import { Table } from '../kit/table.tsx'
import { formatShare, strings } from './strings.ts'

type Report = NonNullable<Crawl['freshness']>
type Row = { name: string; now: string; doubled: string }

const levels = ['gold', 'silver', 'bronze'] as const

/** How the budget of checks is spent, the freshness it achieves, and what twice the budget would achieve. */
export function Freshness({ freshness }: { freshness: Report }) {
  const text = strings.freshness
  const { budgetPerDay, usedPerDay, holds } = freshness
  const used = budgetPerDay === null ? text.requests(usedPerDay) : text.usedOf(usedPerDay, budgetPerDay)
  return (
    <div className="kit-stack">
      {!holds && <p className="kit-notice tone-warn">{text.broken}</p>}
      <p>
        {text.used}: {used}. {budgetPerDay === null && <span className="soft">{text.none}</span>}
      </p>
      <Table
        label={text.title}
        rows={rowsOf(freshness)}
        rowKey={({ name }) => name}
        columns={[
          { key: 'what', head: text.what, cell: ({ name }) => name },
          { key: 'now', head: text.now, numbers: true, cell: ({ now }) => now },
          ...(budgetPerDay === null
            ? []
            : [{ key: 'doubled', head: text.doubled, numbers: true, cell: ({ doubled }: Row) => doubled }]),
        ]}
      />
    </div>
  )
}

function rowsOf({ now, doubled }: Report): Row[] {
  const text = strings.freshness
  return [
    { name: text.fresh, now: formatShare(now.fresh, 1), doubled: formatShare(doubled.fresh, 1) },
    { name: text.delay, now: formatSpan(now.delayMs), doubled: formatSpan(doubled.delayMs) },
    ...levels
      .filter((level) => now.levels[level].sources > 0)
      .map((level) => ({
        name: text.level(level, now.levels[level].sources),
        now: formatSpan(now.levels[level].delayMs),
        doubled: formatSpan(doubled.levels[level].delayMs),
      })),
  ]
}
