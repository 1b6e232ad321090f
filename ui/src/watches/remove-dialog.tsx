import { useMutation } from '@tanstack/react-query'
import { messageOf } from '../api/client.ts'
import type { Source } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { countOfTarget, type Target } from './selection.ts'
import { countWatches, strings } from './strings.ts'
import type { WatchActions } from './use-watch-actions.ts'
import { bareAddress } from './watch-state.tsx'

/** `named`: the loaded ones, which can be listed by address; `next`: the row that takes their place. */
export type Removal = { target: Target; named: readonly Pick<Source, 'uri'>[]; next: number | null }
type Props = { removal: Removal; actions: WatchActions; onDone: () => void; onCancel: () => void }

const MAX_NAMED = 5
const text = strings.removal

export function RemoveDialog({ removal, actions, onDone, onCancel }: Props) {
  const count = countOfTarget(removal.target)
  const named = removal.named.slice(0, MAX_NAMED)
  const only = count === 1 ? named[0] : undefined
  const remove = useMutation({ mutationFn: () => actions.remove(removal.target), onSuccess: onDone })
  return (
    <ConfirmDialog
      title={text.title(only === undefined ? countWatches(count) : bareAddress(only.uri))}
      confirm={text.confirm(count)}
      disabled={remove.isPending}
      error={remove.isError && messageOf(remove.error)}
      onConfirm={remove.mutate}
      onClose={onCancel}
    >
      <div className="kit-form watches-removal">
        <ul className="kit-notice" hidden={only !== undefined}>
          {named.map(({ uri }) => (
            <li key={uri}>{bareAddress(uri)}</li>
          ))}
          {count > named.length && <li className="soft">{text.more(count - named.length)}</li>}
        </ul>
        <p>{text.body(count)}</p>
      </div>
    </ConfirmDialog>
  )
}
