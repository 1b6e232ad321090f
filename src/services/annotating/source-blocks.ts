import { type Answer, aspectChanges, mayDiffer, readAspects } from '../../core/change/aspects.ts'
import type { Change } from '../../core/change/change.ts'
import { type Aspect, partDefaults, type Source } from '../../core/profile.ts'
import {
  createPartReader,
  type PartBlocks,
  type Content as PartContent,
  partKey,
} from '../../core/select/part-blocks.ts'
import type { WorkBudget } from '../../core/work/work-budget.ts'

/** The body of a version, and how it was answered, where that is known. */
export type Content = PartContent & { readonly answer?: Pick<Answer, 'url' | 'status' | 'header'> }

const usual = partDefaults.aspects.join(' ')

/** Sources with the same key see the same of every page; '' for all of it. */
export function partOf(source: Pick<Source, 'select' | 'omit' | 'aspects'>): string {
  const aspects = source.aspects.join(' ')
  return aspects === usual ? partKey(source) : `${partKey(source)} ${aspects}`
}

/** What a source watches of a page, block by block. */
export type SourceBlocks = (content: Content, source: Source, budget: WorkBudget) => PartBlocks

export const createSourceBlocks: () => SourceBlocks = createPartReader

/** Whether a change of a block counts for a source: its title is not part of the text. */
export function countsFor({ aspects }: Pick<Source, 'aspects'>): (change: Change) => boolean {
  return ({ block }) => aspects.includes(block === 'title' ? 'title' : 'text')
}

/** What changed beside the text, for a source that asks for it. Links and images of a page count where all of it is watched. */
export function changesBeside(before: Content | null, after: Content | null, source: Source): Change[] {
  if (before?.answer === undefined || after?.answer === undefined) return []
  const isWhole = source.select.length === 0
  const asked = source.aspects.filter(
    (aspect) => aspect !== 'text' && aspect !== 'title' && (isWhole || !ofParts.has(aspect)),
  )
  if (asked.length === 0 || (asked.every((aspect) => aspect === 'links') && !mayDiffer(before.body, after.body)))
    return []
  const [old, next] = [
    { ...before, ...before.answer },
    { ...after, ...after.answer },
  ]
  return aspectChanges(readAspects(old, asked), readAspects(next, asked))
}

const ofParts: ReadonlySet<Aspect> = new Set(['links', 'images'])
