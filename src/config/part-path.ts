import { realpathSync, statSync } from 'node:fs'
import { extname, relative, resolve, sep } from 'node:path'

const endings = ['.ts', '.mts', '.js', '.mjs']

/**
 * The absolute path of a part named in the configuration. A part runs with all rights of the program, so it has to be a file in the folder
 * of the configuration, which belongs to the administrator: no absolute path, no `..`, and no symbolic link that leads out of it.
 */
export function partPath(
  path: string,
  folder: string,
): { kind: 'path'; path: string } | { kind: 'wrong'; message: string } {
  const wrong = (message: string) => ({ kind: 'wrong', message: `${path.slice(0, 200)}: ${message}` }) as const
  if (path.split(/[/\\]/).includes('..')) return wrong('must stay in the folder of the configuration, without ..')
  if (!endings.includes(extname(path))) return wrong(`must end in ${endings.join(', ')}`)
  try {
    const root = realpathSync(folder)
    const real = realpathSync(resolve(root, path))
    if (relative(root, real).split(sep)[0] === '..') return wrong('leads out of the folder of the configuration')
    if (!statSync(real).isFile()) return wrong('is not a file')
    return { kind: 'path', path: real }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return wrong(
      code === 'ENOENT' ? 'no such file' : code === 'EACCES' ? 'permission denied' : `cannot be read: ${code}`,
    )
  }
}
