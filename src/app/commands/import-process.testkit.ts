import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ImportHooks } from '../../services/import/copy.ts'

/** Converts an id of the store to the id in the folder. */
export const numberOf = (id: number): number => Math.floor(id / 256)
export const quiet = (parts: Partial<ImportHooks> = {}): ImportHooks => ({
  onProgress: () => {},
  signal: new AbortController().signal,
  ...parts,
})

/** A copy that a test may change. */
export function copyOf(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'erace-move-copy-'))
  cpSync(folder, copy, { recursive: true })
  return copy
}

/** Starts a separate process that imports; it prints its progress line by line. */
function startImport(folder: string, address: string) {
  const script = `
    const { importFolder } = await import(${JSON.stringify(new URL('./cluster.ts', import.meta.url).href)})
    const onProgress = ({ what, done }) => process.stdout.write(what + ' ' + done + '\\n')
    const report = await importFolder(${JSON.stringify(folder)}, ${JSON.stringify(address)}, { onProgress, signal: new AbortController().signal })
    process.stdout.write('report ' + JSON.stringify(report) + '\\n')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  return { child, lines: createInterface(child.stdout!), ended: once(child, 'exit') }
}

/** Kills the import with SIGKILL when it reports `what` for the nth time; false if it never did. */
export async function killAt(folder: string, address: string, what: string, nth: number): Promise<boolean> {
  const { child, lines, ended } = startImport(folder, address)
  let met = 0
  for await (const line of lines) {
    if (!line.startsWith(`${what} `) || ++met < nth) continue
    child.kill('SIGKILL')
    break
  }
  const [, signal] = await ended
  return signal === 'SIGKILL'
}
