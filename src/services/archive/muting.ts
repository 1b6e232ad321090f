import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { AnnotationStore } from '../../store/contracts/annotations.ts'
import type { ArchiveReader, Asked, MutedItem } from './archive-reader.ts'

/** Unmutes blocks, or mutes them again, for one user or for everyone. */
export type Muting = {
  change(asked: Asked & MutingChange): Promise<MutedItem>
}

export type MutingChange = {
  document: number
  block: string
  /** For whom to unmute it; null mutes it again. */
  undone: 'you' | 'everyone' | null
  isAdministrator: boolean
}

export type MutingDeps = {
  archive: Pick<ArchiveReader, 'muted'>
  annotations: Pick<AnnotationStore, 'unmute' | 'muteAgain'>
  clock: Clock
}

export function createMuting({ archive, annotations, clock }: MutingDeps): Muting {
  return {
    async change({ document, block, undone, isAdministrator, ...asker }) {
      const find = async (): Promise<MutedItem> => {
        const found = (await archive.muted({ ...asker, document })).find((item) => item.block === block)
        if (found !== undefined) return found
        throw new AppError('not-found', `document ${document} has no muted block ${JSON.stringify(block.slice(0, 40))}`)
      }
      const { undone: before } = await find()
      if ((undone === 'everyone' || before === 'everyone') && undone !== before && !isAdministrator)
        throw new AppError('forbidden', 'only administrators can change this for everyone')
      const at = clock.now()
      if (undone === 'you') await annotations.unmute({ documentId: document, block, owner: asker.owner, at })
      else await annotations.muteAgain({ documentId: document, block, owner: asker.owner })
      if (undone === 'everyone') await annotations.unmute({ documentId: document, block, owner: '', at })
      else if (before === 'everyone') await annotations.muteAgain({ documentId: document, block, owner: '' })
      return find()
    },
  }
}
