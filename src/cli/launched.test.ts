import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A program in the place where the launcher expects it, which reports on itself line by line. */
const program = `
import { endWithLauncher } from ${JSON.stringify(new URL('./launched.ts', import.meta.url).href)}
endWithLauncher(process)
const say = (text: string) => process.stdout.write(text + '\\n')
const [mode, code] = process.argv.slice(2)
if (mode === 'exit') process.exitCode = Number(code)
else {
  const alive = setInterval(() => {}, 60_000)
  process.on('SIGINT', () => say('SIGINT'))
  process.on('SIGTERM', () => { say('SIGTERM'); clearInterval(alive); process.exitCode = 7 })
}
say([process.pid, process.versions.node, process.env.ERACE_LAUNCHED ?? 'unset'].join(' '))
`

describe('the launcher', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'erace-launched-'))
    await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await mkdir(join(folder, 'src'))
    await writeFile(join(folder, 'src', 'main.ts'), program)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  function launch(...args: string[]) {
    const env = { ...process.env, ERACE_TEST_RELAUNCH: '1' }
    const launcher = spawn(process.execPath, [join(folder, 'bin', 'erace.js'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env,
    })
    const lines = createInterface({ input: launcher.stdout })[Symbol.asyncIterator]()
    const nextLine = async () => (await lines.next()).value as string | undefined
    return { launcher, nextLine }
  }

  async function exitCode(child: ChildProcess): Promise<number | null> {
    if (child.exitCode !== null) return child.exitCode
    const [code] = await once(child, 'exit')
    return code
  }

  test('runs the program in a suitable Node.js and returns its exit code', async () => {
    const { launcher, nextLine } = launch('exit', '42')
    const [pid, version, flag] = (await nextLine())!.split(' ')
    assert.notEqual(Number(pid), launcher.pid)
    assert.ok(Number(version!.split('.')[0]) >= 24)
    assert.equal(flag, 'unset')
    assert.equal(await exitCode(launcher), 42)
  })

  test('forwards signals and waits for the program to exit', async () => {
    const { launcher, nextLine } = launch('wait')
    await nextLine()
    launcher.kill('SIGINT')
    assert.equal(await nextLine(), 'SIGINT')
    launcher.kill('SIGTERM')
    assert.equal(await nextLine(), 'SIGTERM')
    assert.equal(await exitCode(launcher), 7)
  })

  test('leaves no orphan process behind after SIGKILL', async () => {
    const { launcher, nextLine } = launch('wait')
    await nextLine()
    launcher.kill('SIGKILL')
    // The program holds the other end of the pipe, which closes only when the program is gone.
    assert.equal(await nextLine(), undefined)
  })

  test('exits with 128 plus the number of the signal that killed the program', async () => {
    const { launcher, nextLine } = launch('wait')
    const [pid] = (await nextLine())!.split(' ')
    process.kill(Number(pid), 'SIGKILL')
    assert.equal(await exitCode(launcher), 137)
  })
})
