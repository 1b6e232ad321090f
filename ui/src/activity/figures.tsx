import { useMemo } from 'react'
import type { Crawl } from '../api/types.ts'
import { Chart } from './chart.tsx'
import { perSecond, sizePerSecond, whole } from './number-words.ts'

/** Live charts of the crawl. */
export function Charts({ series }: { series: Crawl['series'] }) {
  const columns = useMemo(() => {
    const of = (pick: (figures: Crawl['series'][number]) => number): number[] => series.map(pick)
    return {
      times: of(({ at }) => Date.parse(at) / 1000),
      pages: [{ label: 'Pages', colour: '--accent', values: of((each) => each.pagesPerSecond), format: perSecond }],
      bytes: [{ label: 'Bytes', colour: '--accent', values: of((each) => each.bytesPerSecond), format: sizePerSecond }],
      queue: [
        { label: 'queued', colour: '--accent', values: of((each) => each.queued), format: whole },
        { label: 'to annotate', colour: '--warn', values: of((each) => each.tasks), format: whole },
      ],
      errors: [{ label: 'Errors', colour: '--danger', values: of((each) => each.errorsPerSecond), format: perSecond }],
    }
  }, [series])
  return (
    <div className="activity-charts">
      <Chart label="Pages" times={columns.times} lines={columns.pages} least={1} />
      <Chart label="Bytes" times={columns.times} lines={columns.bytes} least={1000} />
      <Chart label="Queue" times={columns.times} lines={columns.queue} least={10} />
      <Chart label="Errors" times={columns.times} lines={columns.errors} least={1} />
    </div>
  )
}
