import type { RefObject } from 'react'
import type { DiffBlock } from './diff-blocks.ts'

type Props = { blocks: readonly DiffBlock[]; text: RefObject<HTMLDivElement | null> }

/** Below this there is nothing to get lost in. */
const MIN_CHARS = 4000
const MAX_MARKS = 400

/** Where in a long text the changes are; a click goes there. */
export function DiffMap({ blocks, text }: Props) {
  const lengths = blocks.map(lengthOf)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  if (total < MIN_CHARS) return null
  let at = 0
  const marks: { id: string; kind: string; top: number; height: number; place: number }[] = []
  for (const [index, block] of blocks.entries()) {
    const length = lengths[index]!
    if (block.kind !== 'same' && block.kind !== 'gap' && marks.length < MAX_MARKS)
      marks.push({
        id: block.id,
        kind: block.kind,
        top: (100 * at) / total,
        height: (100 * length) / total,
        place: marks.length,
      })
    at += length
  }
  const show = (place: number): void => {
    const change = text.current?.querySelectorAll('[data-change]')[place]
    change?.scrollIntoView({ block: 'center' })
  }
  return (
    <div className="document-map" aria-hidden="true">
      {marks.map(({ id, kind, top, height, place }) => (
        <button
          key={id}
          type="button"
          tabIndex={-1}
          className={`document-map-mark document-map-${kind}`}
          style={{ top: `${top}%`, height: `max(3px, ${height}%)` }}
          onClick={() => show(place)}
        />
      ))}
    </div>
  )
}

function lengthOf(block: DiffBlock): number {
  if (block.kind === 'gap') return 80
  return block.kind === 'same' ? block.text.length : block.added.length + block.removed.length
}
