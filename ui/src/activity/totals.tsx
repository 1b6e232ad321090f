import type { Crawl } from '../api/types.ts'
import { Table } from '../kit/table.tsx'
import { share, sizeOf, whole } from './number-words.ts'

export function Totals({ crawl: { totals, disk, now } }: { crawl: Crawl }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Sources', whole(totals.sources)],
    ['Profiles', whole(totals.profiles)],
    ['Documents', whole(totals.documents)],
    ['Versions', whole(totals.versions)],
    ['Annotations', whole(totals.annotations)],
    ['Fetched since the start', whole(totals.fetched)],
    ['Under way', whole(now.inFlight)],
    ['Archive', sizeOf(disk.archiveBytes)],
    ['Databases', sizeOf(disk.databaseBytes)],
    ['Free on disk', disk.freeBytes === null ? 'not known' : sizeOf(disk.freeBytes)],
  ]
  return (
    <dl className="activity-totals kit-card">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="soft">{name}</dt>
          <dd className="numbers">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Whether each service level gets what it was promised. */
export function Levels({ levels }: { levels: Crawl['levels'] }) {
  return (
    <Table
      label="Deadlines met per service level"
      rows={levels}
      rowKey={({ level }) => level}
      columns={[
        { key: 'level', head: 'Service level', cell: ({ level }) => level },
        { key: 'share', head: 'In time', numbers: true, cell: ({ met, missed }) => share(met, met + missed) },
        { key: 'checks', head: 'Checks', numbers: true, cell: ({ met, missed }) => whole(met + missed) },
        { key: 'queued', head: 'Waiting', numbers: true, cell: ({ queued }) => whole(queued) },
        { key: 'overdue', head: 'Overdue', numbers: true, cell: ({ overdue }) => whole(overdue) },
      ]}
    />
  )
}
