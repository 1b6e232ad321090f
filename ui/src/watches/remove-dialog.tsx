import { useMutation } from '@tanstack/react-query'
import { messageOf } from '../api/client.ts'
import type { Source } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { countWatches } from './count-words.ts'
import { countOfTarget, type Target } from './selection.ts'
import type { WatchActions } from './use-watch-actions.ts'
import { bareAddress } from './watch-state.ts'

/** `names`: those that can be told by name; of many, the first. */
export type Removal = { target: Target; named: readonly Pick<Source, 'uri'>[] }
type Props = { removal: Removal; actions: WatchActions; onDone: () => void; onCancel: () => void }

const MAX_NAMED = 5

export function RemoveDialog({ removal, actions, onDone, onCancel }: Props) {
  const count = countOfTarget(removal.target)
  const named = removal.named.slice(0, MAX_NAMED)
  const only = count === 1 ? named[0] : undefined
  const remove = useMutation({ mutationFn: () => actions.remove(removal.target), onSuccess: onDone })
  return (
    <ConfirmDialog
      title={only === undefined ? `Remove ${countWatches(count)}?` : `Remove ${bareAddress(only.uri)}?`}
      confirm={`Remove ${countWatches(count)}`}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onCancel}
    >
      <div className="kit-form watches-removal">
        <ul className="watches-named" hidden={only !== undefined}>
          {named.map(({ uri }) => (
            <li key={uri}>{bareAddress(uri)}</li>
          ))}
          {count > named.length && <li className="soft">and {(count - named.length).toLocaleString('en')} more</li>}
        </ul>
        <p>
          {count === 1 ? 'It is' : 'They are'} taken out of {count === 1 ? 'its profile' : 'their profiles'} and not
          checked any more; a profile that has no source left is removed too. What reached the inbox stays. This cannot
          be undone.
        </p>
        {remove.isError && (
          <p className="kit-field-error" role="alert">
            {messageOf(remove.error)}
          </p>
        )}
      </div>
    </ConfirmDialog>
  )
}
