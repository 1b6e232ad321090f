import type { Blocks } from '../../change/change.ts'
import { readXmlReference } from '../character-reference.ts'
import { TextSink } from '../text-sink.ts'
import { roomFor } from '../text-source.ts'
import { scanXml } from '../xml-text.ts'
import { BlockWriter } from './block-writer.ts'
import { withoutMarks } from './seen-text.ts'

/** Deeper elements belong to the block around them. */
const maxDepth = 64
const maxNameBytes = 60

type Level = {
  readonly name: string
  readonly place: string
  readonly names: readonly string[]
  readonly below: Map<string, Level>
}

/** One block per element with text; its trail is the names of the elements around it, without the root. */
export function xmlBlocks(body: Buffer, maxBlocks: number): Blocks {
  const page = withoutMarks(body)
  const out = roomFor(page.length)
  const sink = new TextSink(page, out, { lines: true, readReference: readXmlReference })
  const writer = new BlockWriter(sink, out, maxBlocks)
  const top: Level = { name: '', place: '', names: [], below: new Map() }
  const open: Level[] = [top]
  let tooDeep = 0
  const end = (): void => {
    const { place, names } = open.at(-1)!
    writer.end({ kind: 'paragraph', level: 0, place, trail: names }, false)
  }
  scanXml(
    { bytes: page, text: page.toString('latin1') },
    { body: sink, title: () => sink },
    {
      isXhtml: false,
      onElement(from, nameEnd, isEnd, isEmpty) {
        end()
        if (isEmpty) return !writer.isCut
        if (isEnd) {
          if (tooDeep > 0) tooDeep--
          else closeNamed(open, page.toString('utf8', from, Math.min(nameEnd, from + maxNameBytes)))
        } else if (open.length > maxDepth) tooDeep++
        else open.push(levelBelow(open.at(-1)!, page.toString('utf8', from, Math.min(nameEnd, from + maxNameBytes))))
        return !writer.isCut
      },
    },
  )
  end()
  return { kind: 'xml', title: '', blocks: writer.build(), isCut: writer.isCut }
}

/** Elements of the same name in the same place share a level. */
function levelBelow(parent: Level, name: string): Level {
  const known = parent.below.get(name)
  if (known !== undefined) return known
  const names = parent.name === '' ? [] : [...parent.names, name]
  const place = parent.place === '' ? name : `${parent.place}/${name}`
  const level = { name, place, names, below: new Map() }
  if (parent.below.size < 1000) parent.below.set(name, level)
  return level
}

/** Ignores an end tag without a start tag. */
function closeNamed(open: Level[], name: string): void {
  for (let at = open.length - 1; at > 0; at--) {
    if (open[at]!.name !== name) continue
    open.length = at
    return
  }
}
