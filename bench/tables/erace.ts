import { fileURLToPath } from 'node:url'
import { AppError } from '../../src/core/errors.ts'
import { measureCommand } from '../measure.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Runs a command; returns its standard output, throws if it fails. */
export async function runErace(args: readonly string[]): Promise<string> {
  const { exitCode, stdout } = await measureCommand({ program: process.execPath, args: [main, ...args] })
  if (exitCode !== 0) throw new AppError('internal', `erace ${args[0]} ended with exit code ${exitCode}: ${stdout}`)
  return stdout
}
