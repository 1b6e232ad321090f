import type { SourceImported } from '../api/types.ts'
import { Table } from '../kit/table.tsx'
import { countWatches } from './count-words.ts'

export function ImportResult({ result: { added, profiles, skipped } }: { result: SourceImported }) {
  return (
    <div className="kit-form">
      <p>
        <strong>{countWatches(added)} added</strong>
        {profiles.length > 0 &&
          ` in ${profiles.length.toLocaleString('en')} ${profiles.length === 1 ? 'profile' : 'profiles'}`}
        {skipped.length > 0 && `, ${skipped.length.toLocaleString('en')} skipped`}.{' '}
        {added > 0 && 'The first visit is taken as the base line; what changes after it is told.'}
        {added === 0 && skipped.length === 0 && 'There was no address in it.'}
      </p>
      {skipped.length > 0 && (
        <div className="watches-skipped">
          <Table
            label="What was skipped, and why"
            rows={skipped}
            rowKey={({ line, text }) => `${line} ${text}`}
            columns={[
              { key: 'line', head: 'Line', numbers: true, cell: ({ line }) => line },
              {
                key: 'text',
                head: 'Skipped',
                cell: ({ text }) => <span className="watches-skipped-text">{text}</span>,
              },
              { key: 'why', head: 'Why', cell: ({ why }) => why },
            ]}
          />
        </div>
      )}
    </div>
  )
}
