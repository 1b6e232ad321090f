import './ignore.css'

type Props = {
  /** How many expressions were applied. */
  count: number
  showsAll: boolean
  onChange: (showsAll: boolean) => void
}

/** Says that something is left out, so that nobody takes the comparison for the whole. */
export function IgnoredLine({ count, showsAll, onChange }: Props) {
  if (count === 0 && !showsAll) return null
  return (
    <p className="document-ignored soft">
      {showsAll
        ? 'Also what your profiles ignore is shown'
        : count === 1
          ? 'One expression is ignored here'
          : `${count} expressions are ignored here`}
      {' · '}
      <button type="button" className="document-ignored-switch" onClick={() => onChange(!showsAll)}>
        {showsAll ? 'leave it out' : 'show all'}
      </button>
    </p>
  )
}
