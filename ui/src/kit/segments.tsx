import './segments.css'
import { classNames } from './class-names.ts'
import { formatCount } from './strings.ts'

type Segment<T extends string> = { value: T; label: string; count?: number }
type Props<T extends string> = {
  label: string
  value: T
  segments: readonly Segment<T>[]
  onChange: (value: T) => void
}

/** A choice of one among a few visible options. */
export function Segments<T extends string>({ label, value, segments, onChange }: Props<T>) {
  return (
    <fieldset className="kit-segments" aria-label={label}>
      {segments.map((segment) => (
        <button
          key={segment.value}
          type="button"
          className={classNames('kit-segment', segment.value === value && 'kit-segment-chosen')}
          aria-pressed={segment.value === value}
          onClick={() => onChange(segment.value)}
        >
          {segment.label}
          {segment.count !== undefined && <span className="kit-segment-count">{formatCount(segment.count)}</span>}
        </button>
      ))}
    </fieldset>
  )
}
