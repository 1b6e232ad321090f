import { Button } from '../kit/button.tsx'
import { EmptyState } from '../kit/states.tsx'
import { clearFilter, type WatchFilter } from './watch-filter.ts'

type Props = { filter: WatchFilter; isFiltered: boolean; onAdd: () => void; onImport: () => void }

const sentences: Record<WatchFilter['state'], [title: string, sentence: string]> = {
  all: ['No watch matches', 'Try fewer letters, or look at all of them.'],
  unread: ['Everything is read', 'Watches with something unread stand here. Look at all of them, or go to the inbox.'],
  failing: ['Nothing is failing', 'Watches that cannot be checked stand here, each with what to do about it.'],
  paused: ['Nothing is paused', 'Pause a watch to stop checking it for a while; it waits here until it is resumed.'],
}

export function EmptyWatches({ filter, isFiltered, onAdd, onImport }: Props) {
  if (isFiltered) {
    const [title, sentence] = sentences[filter.q === '' ? filter.state : 'all']
    return (
      <EmptyState icon="watches" title={title} actions={<Button onClick={clearFilter}>Show all watches</Button>}>
        {sentence}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon="watches"
      title="Nothing is watched yet"
      actions={
        <>
          <Button look="primary" icon="plus" onClick={onAdd}>
            Add the first
          </Button>
          <Button icon="upload" onClick={onImport}>
            Import a list
          </Button>
        </>
      }
    >
      Paste the address of a page above and press Enter. It is visited at once, and you hear of what changes from then
      on.
    </EmptyState>
  )
}
