import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const runner = fileURLToPath(new URL('./test.ts', import.meta.url))

describe('the test runner', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'erace-tests-'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await mkdir(join(folder, 'src', 'deep'), { recursive: true })
    const head = "import { test } from 'node:test'\n"
    await writeFile(join(folder, 'src', 'good.test.ts'), `${head}test('adds', () => {})\n`)
    await writeFile(
      join(folder, 'src', 'deep', 'bad.test.ts'),
      `${head}test('breaks', () => { throw new Error('x') })\n`,
    )
    await writeFile(
      join(folder, 'src', 'left.test.ts'),
      `${head}test('needs openssl', { skip: 'no openssl' }, () => {})\n`,
    )
    await writeFile(join(folder, 'src', 'long.slow.test.ts'), `${head}test('takes long', () => {})\n`)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  function runTests(words: string[], ci: string): Promise<{ code: number; output: string }> {
    // Without the variable that tells a test runner that it runs inside a test.
    const env = { ...process.env, CI: ci, NODE_TEST_CONTEXT: undefined }
    return new Promise((resolve) => {
      execFile(process.execPath, [runner, ...words], { cwd: folder, env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
      })
    })
  }

  test('finds test files, lists what was skipped and ends with the totals', async () => {
    const { code, output } = await runTests(['good', 'left'], '')
    assert.equal(code, 0, output)
    assert.match(output, /Skipped:\n {2}src\/left\.test\.ts: needs openssl \(no openssl\)\n\n[\s\S]*ℹ tests 2\n/)
    assert.match(output, /ℹ pass 1\nℹ fail 0\n[\s\S]*ℹ skipped 1\n[\s\S]*ℹ duration_ms [\d.]+\n$/)
  })

  test('a skipped test is a failure in CI', async () => {
    assert.equal((await runTests(['left'], 'true')).code, 1)
    assert.equal((await runTests(['good'], 'true')).code, 0)
  })

  test('a failing test makes the run fail', async () => {
    const { code, output } = await runTests([], '')
    assert.equal(code, 1)
    assert.match(output, /1 slow test files run in CI, or with npm test -- --slow\n\nℹ tests 3\n/)
    assert.match(output, /breaks/)
  })

  test('slow tests run in CI and where they are asked for', async () => {
    for (const [words, ci] of [
      [[], 'true'],
      [['--slow'], ''],
      [['long'], ''],
    ] as const)
      assert.match((await runTests([...words], ci)).output, /takes long/)
  })

  test('a filter that matches no path is a failure', async () => {
    assert.equal((await runTests(['nothing-like-it'], '')).code, 1)
  })
})
