import 'uplot/dist/uPlot.min.css'
import { useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import type { Crawl } from '../api/types.ts'
import { formatCount } from '../kit/strings.ts'
import { colourOf } from '../theme/colour.ts'
import { formatRate, formatSizeRate, strings } from './strings.ts'

type Line = { label: string; colour: string; values: readonly number[]; format: (value: number) => string }
/** `minTop`: minimum upper end of the scale, so that no two ticks get the same label. */
type Props = { label: string; times: readonly number[]; lines: readonly Line[]; minTop: number }

const HEIGHT = 150
const text = strings.charts

/** Live charts of the crawl. */
export function Charts({ series }: { series: Crawl['series'] }) {
  const times = useMemo(() => series.map(({ at }) => Date.parse(at) / 1000), [series])
  const charts = useMemo(() => {
    const line = (
      key: Exclude<keyof Crawl['now'], 'at'>,
      label: string,
      format: Line['format'],
      colour = '--accent',
    ) => ({
      label,
      colour,
      format,
      values: series.map((each) => each[key]),
    })
    return [
      { label: text.pages, minTop: 1, lines: [line('pagesPerSecond', text.pages, formatRate)] },
      { label: text.bytes, minTop: 1000, lines: [line('bytesPerSecond', text.bytes, formatSizeRate)] },
      {
        label: text.queue,
        minTop: 10,
        lines: [line('queued', text.queued, formatCount), line('tasks', text.tasks, formatCount, '--warn')],
      },
      { label: text.errors, minTop: 1, lines: [line('errorsPerSecond', text.errors, formatRate, '--danger')] },
    ]
  }, [series])
  return (
    <div className="activity-charts">
      {charts.map((chart) => (
        <Chart key={chart.label} times={times} {...chart} />
      ))}
    </div>
  )
}

/** A live chart. The latest values are repeated as text in its caption, for people who can't see the plot. */
function Chart({ label, times, lines, minTop }: Props) {
  const container = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const drawn = useRef({ times, lines })
  drawn.current = { times, lines }

  useEffect(() => {
    const holder = container.current
    if (holder === null) return
    const draw = (): void => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsOf(holder, drawn.current.lines, minTop), dataOf(drawn.current), holder)
    }
    draw()
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: holder.clientWidth, height: HEIGHT }))
    sizes.observe(holder)
    // A canvas doesn't see custom properties: redraw it when the colour scheme changes.
    const scheme = window.matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    return () => {
      sizes.disconnect()
      scheme.removeEventListener('change', draw)
      plot.current?.destroy()
      plot.current = null
    }
  }, [minTop])

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
      <div ref={container} className="activity-chart-plot" aria-hidden="true" />
    </figure>
  )
}

function dataOf({ times, lines }: Pick<Props, 'times' | 'lines'>): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])]
}

function optionsOf(holder: HTMLElement, lines: readonly Line[], minTop: number): uPlot.Options {
  const axis = {
    stroke: colourOf(holder, '--ink-faint'),
    grid: { stroke: colourOf(holder, '--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${getComputedStyle(holder).fontFamily}`,
  }
  const [first] = lines
  return {
    width: holder.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(minTop, max * 1.1)] } },
    axes: [
      { ...axis, space: 80, size: 24, values: (_plot, times) => times.map(formatTime) },
      {
        ...axis,
        size: 56,
        space: 32,
        values: (_plot, values) => values.map((value) => first?.format(value) ?? `${value}`),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, colour }) => ({
        label,
        stroke: colourOf(holder, colour),
        width: 1.5,
        points: { show: false },
      })),
    ],
  }
}

function formatTime(seconds: number): string {
  return new Date(1000 * seconds).toLocaleTimeString('en-GB')
}
