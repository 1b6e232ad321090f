import './price-tab.css'
import type { PriceList } from '../api/types.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { exactTime } from '../time/zone.ts'
import { strings } from './strings.ts'

type Series = PriceList['items'][number]
type Point = Series['points'][number]

const text = strings.prices
const WIDTH = 640
const HEIGHT = 180
const EDGE = 8

/** Price and availability of a page's product over time, as a chart and as a table. */
export function PriceTab({ series }: { series: readonly Series[] }) {
  return (
    <div className="document-prices">
      {series.map(({ part, points }) => (
        <section key={part} className="kit-card">
          <h2>{part === '' ? text.declared : text.chosen}</h2>
          <PriceChart points={points} />
          <PriceTable points={points} />
        </section>
      ))}
    </div>
  )
}

type Amount = Point & { amount: number }
const hasAmount = (point: Point): point is Amount => point.amount !== null

/** A step chart: a price holds until the next one. */
function PriceChart({ points }: { points: readonly Point[] }) {
  const amounts = points.filter(hasAmount)
  if (amounts.length < 2) return null
  const times = amounts.map(({ at }) => Date.parse(at))
  const [low, high] = [
    Math.min(...amounts.map(({ amount }) => amount)),
    Math.max(...amounts.map(({ amount }) => amount)),
  ]
  const [first, last] = [times[0]!, times.at(-1)!]
  const x = (time: number): number => EDGE + ((WIDTH - 2 * EDGE) * (time - first)) / Math.max(1, last - first)
  const y = (amount: number): number =>
    HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * (amount - low)) / (high === low ? 1 : high - low)
  const steps = amounts.map(({ amount }, at) => {
    const place = `${x(times[at]!).toFixed(1)},${y(amount).toFixed(1)}`
    return at === 0 ? `M${place}` : `H${x(times[at]!).toFixed(1)}V${y(amount).toFixed(1)}`
  })
  const label = text.chart(shownPrice(amounts[0]!), shownPrice(amounts.at(-1)!))
  return (
    <figure className="price-chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} preserveAspectRatio="none">
        <path className="price-line" d={steps.join('')} vectorEffect="non-scaling-stroke" />
      </svg>
      <figcaption className="small soft">
        {text.range(money(low, amounts[0]!.currency), money(high, amounts[0]!.currency))}
      </figcaption>
    </figure>
  )
}

function PriceTable({ points }: { points: readonly Point[] }) {
  return (
    <table className="price-table">
      <thead>
        <tr>
          <th scope="col">{text.since}</th>
          <th scope="col" className="price-number">
            {text.price}
          </th>
          <th scope="col">{text.stock}</th>
        </tr>
      </thead>
      <tbody>
        {points.toReversed().map((point) => (
          <tr key={point.version}>
            <td title={exactTime(point.at)}>
              <RelativeTime at={point.at} />
            </td>
            <td className="price-number">{shownPrice(point)}</td>
            <td>{text.availability[point.availability]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function shownPrice({ amount, currency }: Point): string {
  return amount === null ? '–' : money(amount, currency)
}

function money(amount: number, currency: string): string {
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount)
  } catch {
    // Not every currency that a shop writes is an ISO code.
    const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 }).format(amount)
    return currency === '' ? number : `${number} ${currency}`
  }
}
