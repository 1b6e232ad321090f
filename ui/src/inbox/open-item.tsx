import { isOffline } from '../api/client.ts'
import type { Marks } from '../api/types.ts'
import { Icon } from '../kit/icon.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { ReadingPane } from './reading-pane.tsx'
import { useItem } from './use-inbox-list.ts'

type Props = {
  id: number | null
  onMark: (marks: Marks) => void
  onClose: () => void
  onStep: (by: 1 | -1) => void
}

export function OpenItem({ id, onMark, onClose, onStep }: Props) {
  const item = useItem(id)
  if (id === null) {
    return (
      <div className="inbox-nothing-open">
        <Icon name="inbox" size={40} />
        <p>
          Choose an item to read it here. <kbd>j</kbd> and <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>?</kbd> shows
          all keys.
        </p>
      </div>
    )
  }
  if (item.isError) {
    return (
      <div className="inbox-open">
        <ErrorState title="This item cannot be shown" error={item.error} onRetry={() => void item.refetch()}>
          {isOffline(item.error) ? undefined : 'It may have been removed, or belong to somebody else.'}
        </ErrorState>
      </div>
    )
  }
  return (
    <div className="inbox-open">
      {item.data === undefined ? (
        <LoadingState />
      ) : (
        <ReadingPane item={item.data} onMark={onMark} onClose={onClose} onStep={onStep} />
      )}
    </div>
  )
}
