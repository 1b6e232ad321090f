import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ValidationError } from './validation-errors.ts'

const defaultNames = ['erace.config.ts', 'erace.config.js', 'erace.config.json']
const programEndings = ['.ts', '.mts', '.js', '.mjs', '.cjs']

export type ConfigFile = { path: string; name: string }

/** The file that was named, or the one that lies in the folder. Two of them would leave open which one counts. */
export function findConfigFile(
  named: string | undefined,
  cwd: string,
  errors: ValidationError[],
): ConfigFile | undefined {
  if (named !== undefined) return { path: resolve(cwd, named), name: named }
  const found = defaultNames.map((name) => ({ path: resolve(cwd, name), name })).filter(({ path }) => existsSync(path))
  if (found.length > 1) {
    errors.push({
      place: found.map(({ name }) => name).join(' and '),
      message: 'only one of them may be there; remove the others, or name one with --config',
    })
  }
  return found[0]
}

/** The object that the file exports or holds; `undefined` when it has none, with the fault noted. */
export async function readConfigFile(
  { path, name }: ConfigFile,
  errors: ValidationError[],
): Promise<object | undefined> {
  let content: unknown
  try {
    content = await contentOf(path)
  } catch (error) {
    errors.push({ place: name, message: reasonOf(error) })
    return undefined
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content
  const where = extname(path) === '.json' ? 'must hold one object' : 'must have an object as its default export'
  errors.push({ place: name, message: where })
  return undefined
}

async function contentOf(path: string): Promise<unknown> {
  if (programEndings.includes(extname(path)) && existsSync(path)) {
    const module: { default?: unknown } = await import(pathToFileURL(path).href)
    return module.default
  }
  return JSON.parse(await readFile(path, 'utf8'))
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES') return 'the file may not be read'
  if (code === 'EISDIR') return 'is a folder'
  return `cannot be read: ${String(message ?? error).slice(0, 300)}`
}
