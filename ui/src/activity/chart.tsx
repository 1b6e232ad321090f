import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'

export type Line = { label: string; colour: string; values: readonly number[]; format: (value: number) => string }
/** `least` is where the scale ends at the least: it is never so fine that two of its steps read alike. */
type Props = { label: string; times: readonly number[]; lines: readonly Line[]; least: number }

const HEIGHT = 150

/** A live chart. Its last values stand beside its name as text, so that it says the same without being seen. */
export function Chart({ label, times, lines, least }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const drawn = useRef({ times, lines })
  drawn.current = { times, lines }

  useEffect(() => {
    const holder = place.current
    if (holder === null) return
    const draw = (): void => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsOf(holder, drawn.current.lines, least), dataOf(drawn.current), holder)
    }
    draw()
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: holder.clientWidth, height: HEIGHT }))
    sizes.observe(holder)
    // Canvas knows no custom properties: with the other scheme it is drawn anew.
    const scheme = window.matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    return () => {
      sizes.disconnect()
      scheme.removeEventListener('change', draw)
      plot.current?.destroy()
      plot.current = null
    }
  }, [least])

  useEffect(() => {
    plot.current?.setData(dataOf({ times, lines }))
  }, [times, lines])

  return (
    <figure className="activity-chart kit-card">
      <figcaption>
        <strong>{label}</strong>
        {lines.map((line) => (
          <span key={line.label} className="activity-chart-value numbers">
            <span className="activity-chart-key" style={{ background: `var(${line.colour})` }} aria-hidden="true" />
            {lines.length > 1 && <span className="soft">{line.label} </span>}
            {line.format(line.values.at(-1) ?? 0)}
          </span>
        ))}
      </figcaption>
      <div ref={place} className="activity-chart-plot" aria-hidden="true" />
    </figure>
  )
}

function dataOf({ times, lines }: Pick<Props, 'times' | 'lines'>): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])]
}

function optionsOf(holder: HTMLElement, lines: readonly Line[], least: number): uPlot.Options {
  const styles = getComputedStyle(holder)
  const token = (name: string): string => styles.getPropertyValue(name).trim()
  const axis = {
    stroke: token('--ink-faint'),
    grid: { stroke: token('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${token('--font')}`,
  }
  const [first] = lines
  return {
    width: holder.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(least, max * 1.1)] } },
    axes: [
      { ...axis, space: 80, size: 24, values: (_plot, times) => times.map(timeWords) },
      {
        ...axis,
        size: 56,
        space: 32,
        values: (_plot, values) => values.map((value) => first?.format(value) ?? `${value}`),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, colour }) => ({ label, stroke: token(colour), width: 1.5, points: { show: false } })),
    ],
  }
}

function timeWords(seconds: number): string {
  return new Date(1000 * seconds).toLocaleTimeString('en-GB')
}
