import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning, processOf } from './process-tree.ts'

/** Folder for a browser's files while it runs. */
export type BrowserFolder = { readonly profile: string; readonly temporary: string; remove(): Promise<void> }

const prefix = 'erace-browser-'

/** Creates a folder named after this process, so that the next process can remove the folders of killed ones. */
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

/** Retries, since killed processes may still write for a moment. Folders that can't be removed, such as another user's, stay. */
const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => {})
