import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../src/core/errors.ts'

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const MAX_KEPT = 64 * 1024
const LAST_LINES = 15

/** The real program in a process of its own. `said` is what it wrote for people. */
export type EraceChild = { child: ChildProcess; ended: Promise<number | null>; said(): string }

export function startErace(args: readonly string[], env: Record<string, string>): EraceChild {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let kept = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-MAX_KEPT)
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, ended, said: () => kept.trimEnd().split('\n').slice(-LAST_LINES).join('\n') }
}

/** Runs a command to its end. */
export async function runErace(args: readonly string[], env: Record<string, string>): Promise<void> {
  const { child, ended, said } = startErace(args, env)
  child.stdout!.resume()
  const code = await ended
  if (code !== 0) throw new AppError('internal', `erace ${args[0]} ended with ${code}:\n${said()}`)
}

/** Waits until `erace up --json` says where it is. */
export async function placeOf({ child, ended, said }: EraceChild): Promise<string> {
  let text = ''
  const told = new Promise<string>((resolve) => {
    child.stdout!.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(0, MAX_KEPT)
      const end = text.indexOf('\n')
      if (end >= 0) resolve((JSON.parse(text.slice(0, end)) as { url: string }).url)
    })
  })
  const early = ended.then((code): never => {
    throw new AppError('internal', `erace up ended with ${code} before it was ready:\n${said()}`)
  })
  early.catch(() => {}) // once it is ready, its end is the business of whoever stops it
  return Promise.race([told, early])
}
