import { open, rename, rm } from 'node:fs/promises'
import type { Profile, ProfileUrd } from '../../core/profile.ts'
import { profileToJson } from '../../services/profiles/values/profile-values.ts'
import { writtenUrd } from '../../services/profiles/values/urd-values.ts'
import { writeProfiles } from '../../xml/profile/profile.ts'
import { writeUrds } from '../../xml/profile/urd.ts'

export type ExportedItems =
  | { kind: 'profiles'; form: 'xml' | 'json'; items: AsyncIterable<Profile> }
  | { kind: 'urds'; form: 'xml'; items: AsyncIterable<ProfileUrd> }

/** Atomic: the file appears once it is complete. Without a file, pieces go to `print`. */
export async function writeProfileFile(
  file: string | null,
  items: ExportedItems,
  print: (text: string) => void,
): Promise<{ count: number; bytes: number }> {
  const report = { count: 0, bytes: 0 }
  const pieces = textOf(items, () => report.count++)
  if (file === null) {
    for await (const piece of pieces) {
      report.bytes += Buffer.byteLength(piece)
      print(piece)
    }
    return report
  }
  const part = `${file}.part-${process.pid}`
  const handle = await open(part, 'wx')
  try {
    for await (const piece of pieces) report.bytes += (await handle.write(piece)).bytesWritten
    await handle.sync()
    await handle.close()
    await rename(part, file)
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(part, { force: true })
    throw error
  }
  return report
}

function textOf(exported: ExportedItems, onItem: () => void): AsyncIterable<string> {
  if (exported.kind === 'urds') return writeUrds(mapped(exported.items, onItem, writtenUrd))
  const profiles = mapped(exported.items, onItem, (profile) => profile)
  return exported.form === 'xml' ? writeProfiles(profiles) : jsonList(profiles)
}

async function* mapped<T, U>(items: AsyncIterable<T>, onItem: () => void, map: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) {
    onItem()
    yield map(item)
  }
}

async function* jsonList(profiles: AsyncIterable<Profile>): AsyncGenerator<string> {
  let before = '[\n'
  for await (const profile of profiles) {
    yield before + JSON.stringify(profileToJson(profile), null, 2)
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}
