import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A service of `deploy/systemd`, started and stopped as by systemd, from a checkout instead of `/opt/erace`. */
export type UnitProcess = {
  /** Number of restarts after it ended by itself. */
  restarts(): number
  /** Sends SIGTERM, and SIGKILL after the unit's stop timeout; `killed` tells whether that was needed. */
  stop(): Promise<{ killed: boolean; exitCode: number | null }>
  /** The end of its output. */
  log(): string
}

export type UnitOptions = {
  /** Root folder of the checkout. */
  root: string
  /** Such as `erace-worker@.service`. */
  unit: string
  instance?: string
  /** Contents of `/etc/erace/erace.env`. */
  env: Record<string, string>
  /** Replaces `/var/cache/erace`. */
  cache: string
}

const MAX_LOG_CHARS = 64 * 1024

/** The values of a key in a unit file, in order. */
function valuesOf(text: string, key: string): string[] {
  return [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!)
}

export function startUnit({ root, unit, instance = '', env, cache }: UnitOptions): UnitProcess {
  const text = readFileSync(join(root, 'deploy/systemd', unit), 'utf8')
  const expand = (value: string): string =>
    value
      .replaceAll('/opt/erace', root)
      .replaceAll('/var/cache/erace', cache)
      .replaceAll('/usr/bin/node', process.execPath)
      .replaceAll('%H', hostname())
      .replaceAll('%i', instance)
  const one = (key: string): string => {
    const [value] = valuesOf(text, key)
    if (value === undefined) throw new Error(`${unit} says nothing of ${key}`)
    return expand(value)
  }
  const [program, ...args] = one('ExecStart').split(' ')
  const own = valuesOf(text, 'Environment').flatMap((line) => expand(line).split(' '))
  const given = Object.fromEntries(own.map((pair) => pair.split('=') as [string, string]))
  const restartMs = Number(one('RestartSec')) * 1000
  const stopMs = Number(one('TimeoutStopSec')) * 1000
  const neverAgain = Number(one('RestartPreventExitStatus'))
  let restarts = 0
  let isStopping = false
  let log = ''
  let current = start()

  function start() {
    const child = spawn(program!, args, {
      cwd: one('WorkingDirectory'),
      env: { PATH: process.env.PATH, ...env, ...given },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      log = (log + more).slice(-MAX_LOG_CHARS)
    })
    const ended = once(child, 'close') as Promise<[number | null]>
    void ended.then(async ([code]) => {
      if (isStopping || code === neverAgain) return
      await pause(restartMs)
      if (isStopping) return
      restarts++
      current = start()
    })
    return { child, ended }
  }

  return {
    restarts: () => restarts,
    async stop() {
      isStopping = true
      const { child, ended } = current
      child.kill('SIGTERM')
      let killed = false
      const timer = setTimeout(() => {
        killed = child.kill('SIGKILL')
      }, stopMs)
      const [exitCode] = await ended
      clearTimeout(timer)
      return { killed, exitCode }
    },
    log: () => log,
  }
}
