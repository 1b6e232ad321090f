import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

/** Why servers that are Debian packages are not there; false where they are. In CI they must be. */
export function programSkip(paths: string | readonly string[], debianPackages: string): string | false {
  const missing = [paths].flat().filter((path) => !existsSync(path))
  if (missing.length === 0) return false
  const reason = `there is no ${missing.join(', no ')} (Debian packages: ${debianPackages})`
  if (process.env.CI) throw new Error(`${reason}, which must be there in CI`)
  return reason
}

/** What a program has to be started with to be root; undefined where that isn't allowed. */
export const asRoot: readonly string[] | undefined =
  process.getuid?.() === 0 ? [] : spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined

export const rootSkip: string | false = asRoot === undefined ? 'it can be started by root alone' : false

/** Runs a program to its end, as root; what it printed. */
export async function runAsRoot(program: string, ...given: string[]): Promise<string> {
  const [first, ...rest] = [...asRoot!, program, ...given]
  return (await promisify(execFile)(first!, rest, { timeout: 60_000 })).stdout
}
