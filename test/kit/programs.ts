import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

/** Reason to skip tests whose programs (Debian packages) are missing; false if none is. Throws in CI instead. */
export function programSkip(paths: string | readonly string[], debianPackages: string): string | false {
  const missing = [paths].flat().filter((path) => !existsSync(path))
  if (missing.length === 0) return false
  const reason = `there is no ${missing.join(', no ')} (Debian packages: ${debianPackages})`
  if (process.env.CI) throw new Error(`${reason}, which must be there in CI`)
  return reason
}

/** Command prefix for running a program as root; undefined if that isn't possible. */
export const asRoot: readonly string[] | undefined =
  process.getuid?.() === 0 ? [] : spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined

export const rootSkip: string | false = asRoot === undefined ? 'it can be started by root alone' : false

/** Runs a program as root; returns its standard output. */
export async function runAsRoot(program: string, ...given: string[]): Promise<string> {
  const [first, ...rest] = [...asRoot!, program, ...given]
  return (await promisify(execFile)(first!, rest, { timeout: 60_000 })).stdout
}
