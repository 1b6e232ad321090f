import type { CrawlSettings } from '../config/crawl-settings.ts'
import { AppError, isAppError } from '../core/errors.ts'
import { parseBlockList } from './filter/block-list.ts'
import { parseIgnoreTypes } from './filter/ignored-types.ts'
import { parseMimeTypes } from './filter/media-types.ts'
import { createScope } from './filter/scope.ts'
import { parseHostRules } from './normalize/host-rules.ts'

/** Reads everything that was given as text once, before anything is started, and tells all faults together. */
export function checkSettings({ seeds, restrict, files }: CrawlSettings): void {
  const faults: AppError[] = []
  const attempt = (read: () => unknown): void => {
    try {
      read()
    } catch (error) {
      if (!isAppError(error)) throw error
      faults.push(error)
    }
  }
  const { mimeTypes, ignoreTypes, blockList, hostRules } = files
  attempt(() => createScope({ seeds, ...(restrict === null ? {} : { restrict }) }))
  if (mimeTypes !== null) attempt(() => parseMimeTypes(mimeTypes))
  if (ignoreTypes !== null) attempt(() => parseIgnoreTypes(ignoreTypes))
  if (blockList !== null) attempt(() => parseBlockList(blockList))
  if (hostRules !== null) attempt(() => parseHostRules(hostRules))
  const [first] = faults
  if (first !== undefined) throw new AppError(first.code, faults.map(({ message }) => message).join('\n'))
}
