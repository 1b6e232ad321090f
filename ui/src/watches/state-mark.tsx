import './state-mark.css'
import { classNames } from '../kit/class-names.ts'
import { Icon } from '../kit/icon.tsx'
import { shownState, type WatchState } from './watch-state.ts'

/** Sign and word: neither the colour nor the sign says anything alone. */
export function StateMark({ state }: { state: WatchState }) {
  const { word, icon, tone } = shownState(state)
  return (
    <span className={classNames('watches-mark', `watches-mark-${tone}`, state === 'checking' && 'watches-mark-busy')}>
      <Icon name={icon} size={16} />
      <span>{word}</span>
    </span>
  )
}
