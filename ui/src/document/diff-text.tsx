import type { Ref } from 'react'
import { classNames } from '../kit/class-names.ts'
import type { DiffBlock } from './diff-blocks.ts'
import type { DiffChoice } from './diff-choice.ts'

type Props = {
  ref: Ref<HTMLDivElement>
  blocks: readonly DiffBlock[]
  form: 'lines' | 'words'
  hides: DiffChoice['hides']
}

/** Both versions in one text. What went and what came is said by the element, a sign and the colour, never by the colour alone. */
export function DiffText({ ref, blocks, form, hides }: Props) {
  return (
    <div ref={ref} tabIndex={-1} className={classNames('document-text', `document-text-${form}`)}>
      {blocks.map((block) => (
        <Block key={block.id} block={block} hides={hides} />
      ))}
    </div>
  )
}

function Block({ block, hides }: { block: DiffBlock; hides: DiffChoice['hides'] }) {
  if (block.kind === 'gap') return <div className="document-gap">· · · from line {block.line}</div>
  if (block.kind === 'same') return <span>{block.text}</span>
  if (hides[block.kind]) return <span>{block.added}</span>
  return (
    <span data-change={block.kind}>
      {block.removed !== '' && <del>{block.removed}</del>}
      {block.added !== '' && <ins>{block.added}</ins>}
    </span>
  )
}
