import assert from 'node:assert/strict'
import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../main.ts', import.meta.url))
const here = JSON.stringify(new URL('./io.ts', import.meta.url).href)

/** A service that writes to both outputs before it ends by itself. */
const service = `
  import { createProcessIo } from ${here}
  const io = createProcessIo(process)
  io.stderr.write('first line\\n')
  io.stdout.write('running\\n')
  setImmediate(() => {
    io.stderr.write('second line\\n')
    process.exitCode = io.lostOutput() === null ? 7 : 8
  })
`

function run(program: string, args: readonly string[], options: SpawnSyncOptions) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', ...options })
  return { status, stdout: String(stdout), stderr: String(stderr) }
}

const runService = (stdio: SpawnSyncOptions['stdio']) =>
  run(process.execPath, ['--input-type=module-typescript', '-e', service], { stdio })

describe('output on a full disk', { skip: existsSync('/dev/full') ? false : 'this system has no /dev/full' }, () => {
  let full: number
  before(() => {
    full = openSync('/dev/full', 'w')
  })
  after(() => closeSync(full))

  test('a log that cannot be written does not end the program', () => {
    const { status, stdout } = runService(['ignore', 'pipe', full])
    assert.deepEqual({ status, stdout }, { status: 7, stdout: 'running\n' })
  })

  test('a result that cannot be written is remembered, and the program goes on', () => {
    const { status, stderr } = runService(['ignore', full, 'pipe'])
    assert.deepEqual({ status, stderr }, { status: 8, stderr: 'first line\nsecond line\n' })
  })

  test('a command whose result is lost exits with 1 and says why in one line', () => {
    const { status, stderr } = run(process.execPath, [main, '--version'], { stdio: ['ignore', full, 'pipe'] })
    assert.equal(status, 1)
    assert.match(stderr, /^erace: the result can't be written: ENOSPC[^\n]*\n$/)
  })
})

test('in a folder that was removed, the program says so and exits with 1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-removed-'))
  const { status, stderr } = run('sh', ['-c', 'rmdir "$PWD"; exec "$0" "$1"', process.execPath, main], { cwd: folder })
  const expected = "erace: the current folder doesn't exist any more; change to another one\n"
  assert.deepEqual([status, stderr, existsSync(folder)], [1, expected, false])
})
