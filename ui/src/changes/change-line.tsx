import './changes.css'
import { MarkedText } from '../kit/marked-text.tsx'

type Mark = readonly [from: number, to: number]
type Part = { kind: 'same' | 'removed' | 'added' | 'sign'; text: string }
type Props = { text: string; marks: readonly Mark[]; parts?: readonly Part[] | undefined }

/** What changed, in a line: removed text struck through, added text underlined, hits marked. */
export function ChangeLine({ text, marks, parts }: Props) {
  if (parts === undefined || parts.length === 0) return <MarkedText text={text} marks={marks} />
  let at = 0
  return (
    <span className="change-line">
      {parts.map((part) => {
        const from = at
        at += part.text.length
        return <LinePart key={from} part={part} marks={within(marks, from, at)} />
      })}
    </span>
  )
}

function LinePart({ part: { kind, text }, marks }: { part: Part; marks: readonly Mark[] }) {
  if (kind === 'sign') return <span className="change-sign">{text}</span>
  const marked = <MarkedText text={text} marks={marks} />
  if (kind === 'removed') return <del>{marked}</del>
  return kind === 'added' ? <ins>{marked}</ins> : marked
}

function within(marks: readonly Mark[], from: number, to: number): Mark[] {
  return marks.flatMap(([start, end]): Mark[] =>
    end <= from || start >= to ? [] : [[Math.max(0, start - from), Math.min(to, end) - from]],
  )
}
