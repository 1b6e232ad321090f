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

/** The body of a version, and the response it came with, if known. */
export type Content = PartContent & { readonly answer?: Pick<Answer, 'url' | 'status' | 'header'> }

const usual = partDefaults.aspects.join(' ')

/** Sources with the same key see the same part of every page; '' for all of it. */
export function partOf(source: Pick<Source, 'select' | 'omit' | 'aspects'>): string {
  const aspects = source.aspects.join(' ')
  return aspects === usual ? partKey(source) : `${partKey(source)} ${aspects}`
}

/** Reads the blocks of a page that a source watches. */
export type SourceBlocks = (content: Content, source: Source, budget: WorkBudget) => PartBlocks

export const createSourceBlocks: () => SourceBlocks = createPartReader

/** Whether a change of a block counts for a source: the title is an aspect of its own. */
export function countsFor({ aspects }: Pick<Source, 'aspects'>): (change: Change) => boolean {
  return ({ block }) => aspects.includes(block === 'title' ? 'title' : 'text')
}

/** A version, and the markup of the watched elements; absent if the whole page is watched. */
export type SeenContent = { readonly content: Content | null; readonly elements?: string | undefined }

/** Changes other than text, for a source that asks for them. Links and images count only in the part of the page it watches. */
export function changesBeside(before: SeenContent, after: SeenContent, source: Source): Change[] {
  const [from, to] = [before.content, after.content]
  if (from?.answer === undefined || to?.answer === undefined) return []
  const asked = source.aspects.filter((aspect) => aspect !== 'text' && aspect !== 'title')
  if (asked.length === 0 || (asked.every((aspect) => aspect === 'links') && !mayDiffer(from.body, to.body))) return []
  const read = (seen: Content, answer: NonNullable<Content['answer']>, elements: string | undefined) => {
    const page = { ...seen, ...answer }
    if (elements === undefined) return readAspects(page, asked)
    const part = { ...page, body: Buffer.from(elements), contentType: 'text/html; charset=utf-8' }
    const ofPart = asked.filter((aspect) => ofParts.has(aspect))
    const ofPage = asked.filter((aspect) => !ofParts.has(aspect))
    return [...readAspects(part, ofPart), ...readAspects(page, ofPage)]
  }
  return aspectChanges(read(from, from.answer, before.elements), read(to, to.answer, after.elements))
}

const ofParts: ReadonlySet<Aspect> = new Set(['links', 'images'])
