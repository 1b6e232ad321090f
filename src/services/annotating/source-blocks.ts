import type { Source } from '../../core/profile.ts'
import type { Content } from '../../core/select/part-blocks.ts'
import { createPartReader, type PartBlocks, partKey } from '../../core/select/part-blocks.ts'
import type { WorkBudget } from '../../core/work/work-budget.ts'

export type { Content }

/** Sources with the same key see the same part of every page; '' for all of it. */
export const partOf: (source: Pick<Source, 'select' | 'omit'>) => string = partKey

/** What a source watches of a page, block by block. */
export type SourceBlocks = (content: Content, source: Source, budget: WorkBudget) => PartBlocks

export const createSourceBlocks: () => SourceBlocks = createPartReader
