import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning, processOf } from './process-tree.ts'

/** Where a browser keeps its files while it runs. */
export type BrowserFolder = { readonly profile: string; readonly temporary: string; remove(): Promise<void> }

const prefix = 'erace-browser-'

/** A new folder, named after this process: those of processes that were killed are removed by the next one. */
export async function makeBrowserFolder(parent: string = tmpdir()): Promise<BrowserFolder> {
  await removeAbandoned(parent)
  const folder = await mkdtemp(join(parent, `${prefix}${process.pid}-`))
  const [profile, temporary] = [join(folder, 'profile'), join(folder, 'tmp')]
  await Promise.all([mkdir(profile), mkdir(temporary)])
  return { profile, temporary, remove: () => removeFolder(folder) }
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = new RegExp(`^${prefix}(\\d{1,10})-`).exec(name)?.[1]
    if (owner !== undefined && !isRunning(processOf(Number(owner)))) await removeFolder(join(parent, name))
  }
}

/** Processes that are being ended may still write for a moment. What can't be removed, somebody else's for one, stays. */
const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => {})
