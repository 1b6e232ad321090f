import type { Ref, RefObject } from 'react'
import { classNames } from '../kit/class-names.ts'
import type { DiffChoice } from './choices.ts'
import type { DiffBlock } from './diff-blocks.ts'
import { strings } from './strings.ts'

/** Minimum length of a text that gets a map. */
const MIN_CHARS = 4000
const MAX_MARKS = 400
const tones = { added: 'good', removed: 'danger', replaced: 'accent' } as const

type Props = {
  ref: Ref<HTMLDivElement>
  blocks: readonly DiffBlock[]
  form: 'lines' | 'words'
  hides: DiffChoice['hides']
}

/** Both versions in one text. The element and a sign mark what was added or removed, never colour alone. */
export function DiffText({ ref, blocks, form, hides }: Props) {
  return (
    <div
      ref={ref}
      tabIndex={-1}
      className={classNames('break document-text', form === 'lines' && 'mono document-text-lines')}
    >
      {blocks.map((block) => (
        <Block key={block.id} block={block} hides={hides} />
      ))}
    </div>
  )
}

function Block({ block, hides }: { block: DiffBlock; hides: DiffChoice['hides'] }) {
  if (block.kind === 'gap') return <div className="faint small document-gap">{strings.diff.gap(block.line)}</div>
  if (block.kind === 'same') return <span>{block.text}</span>
  if (hides[block.kind]) return <span>{block.added}</span>
  return (
    <span data-change={block.kind}>
      {block.removed !== '' && <del>{block.removed}</del>}
      {block.added !== '' && <ins>{block.added}</ins>}
    </span>
  )
}

type MapProps = { blocks: readonly DiffBlock[]; text: RefObject<HTMLDivElement | null> }

/** Shows where the changes are in a long text; a click scrolls there. */
export function DiffMap({ blocks, text }: MapProps) {
  const lengths = blocks.map(lengthOf)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  if (total < MIN_CHARS) return null
  let at = 0
  const marks: { id: string; kind: keyof typeof tones; top: number; height: number; index: number }[] = []
  for (const [position, block] of blocks.entries()) {
    const length = lengths[position]!
    if (block.kind !== 'same' && block.kind !== 'gap' && marks.length < MAX_MARKS)
      marks.push({
        id: block.id,
        kind: block.kind,
        top: (100 * at) / total,
        height: (100 * length) / total,
        index: marks.length,
      })
    at += length
  }
  const show = (index: number): void => {
    const change = text.current?.querySelectorAll('[data-change]')[index]
    change?.scrollIntoView({ block: 'center' })
  }
  return (
    <div className="document-map" aria-hidden="true">
      {marks.map(({ id, kind, top, height, index }) => (
        <button
          key={id}
          type="button"
          tabIndex={-1}
          className={`document-map-mark tone-${tones[kind]}`}
          style={{ top: `${top}%`, height: `max(3px, ${height}%)` }}
          onClick={() => show(index)}
        />
      ))}
    </div>
  )
}

function lengthOf(block: DiffBlock): number {
  if (block.kind === 'gap') return 80
  return block.kind === 'same' ? block.text.length : block.added.length + block.removed.length
}

type IgnoredProps = {
  /** Number of patterns applied. */
  count: number
  showsAll: boolean
  onChange: (showsAll: boolean) => void
}

/** Says that something is left out, so that the comparison isn't mistaken for a complete one. */
export function IgnoredLine({ count, showsAll, onChange }: IgnoredProps) {
  if (count === 0 && !showsAll) return null
  return (
    <p className="document-ignored soft">
      {showsAll ? strings.ignored.showing : strings.ignored.count(count)}
      {strings.ignored.separator}
      <button type="button" className="document-ignored-switch" onClick={() => onChange(!showsAll)}>
        {showsAll ? strings.ignored.hide : strings.ignored.show}
      </button>
    </p>
  )
}
