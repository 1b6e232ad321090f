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

  function runTests(words: string[], ci: string, cwd = folder, more = {}): Promise<{ code: number; output: string }> {
    // NODE_TEST_CONTEXT would tell the test runner that it runs inside a test.
    const own = { CI: ci, NODE_TEST_CONTEXT: undefined, ERACE_TEST_POSTGRES: 'none of them uses it' }
    const env = { ...process.env, ...own, ...more }
    return new Promise((resolve) => {
      execFile(process.execPath, [runner, ...words], { cwd, env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
      })
    })
  }

  test('finds test files, lists skipped tests and ends with the totals', async () => {
    const { code, output } = await runTests(['good', 'left'], '')
    assert.equal(code, 0, output)
    assert.match(output, /Skipped:\n {2}src\/left\.test\.ts: needs openssl \(no openssl\)\n\n[\s\S]*ℹ tests 2\n/)
    assert.match(output, /ℹ pass 1\nℹ fail 0\n[\s\S]*ℹ skipped 1\n[\s\S]*ℹ duration_ms [\d.]+\n$/)
  })

  test('fails in CI if a test is skipped', async () => {
    assert.equal((await runTests(['left'], 'true')).code, 1)
    assert.equal((await runTests(['good'], 'true')).code, 0)
  })

  test('fails if a test fails', async () => {
    const { code, output } = await runTests([], '')
    assert.equal(code, 1)
    assert.match(output, /1 slow test files run in CI, or with npm test -- --slow\n\nℹ tests 3\n/)
    assert.match(output, /breaks/)
  })

  test('runs slow tests in CI and on request', async () => {
    for (const [words, ci] of [
      [[], 'true'],
      [['--slow'], ''],
      [['long'], ''],
    ] as const)
      assert.match((await runTests([...words], ci)).output, /takes long/)
  })

  describe('with many files', () => {
    let many: string
    before(async () => {
      many = await mkdtemp(join(tmpdir(), 'erace-tests-'))
      await mkdir(join(many, 'src'))
      await writeFile(join(many, 'package.json'), '{ "type": "module" }')
      await writeFile(join(many, 'src', 'seen.ts'), 'export const seen = []\nexport const hooks = []\n')
      const head =
        "import assert from 'node:assert'\nimport { beforeEach, test } from 'node:test'\nimport { hooks, seen } from './seen.ts'\n"
      const files: Record<string, string> = {
        'good-a': `beforeEach(() => { hooks.push(1) })\ntest('with a hook', () => {})`,
        'good-b': `test('without a hook', () => { assert.ok(hooks.length < 2) })`,
        'good-left': `test('needs openssl', { skip: 'no openssl' }, () => {})`,
        'good-own': `test('in its own process', () => { assert.ok(process.argv.length > 0 && seen.length === 1) })`,
        unsteady: `test('alone', () => { assert.equal(seen.length, 1) })`,
        wrong: `test('never', () => { assert.fail() })`,
      }
      for (let n = 10; n < 30; n++) files[`good-${n}`] = `test('number ' + seen.length + ' here', () => {})`
      for (const [name, text] of Object.entries(files))
        await writeFile(join(many, 'src', `${name}.test.ts`), `${head}seen.push('${name}')\n${text}\n`)
    })
    after(() => rm(many, { recursive: true, force: true }))

    test('runs several files in one process, with separate hooks and correct counts', async () => {
      const { code, output } = await runTests(['good'], '', many)
      assert.equal(code, 0, output)
      assert.match(output, /number 12 here/)
      assert.doesNotMatch(output, /number 13 here/)
      assert.match(output, /Skipped:\n {2}src\/good-left\.test\.ts: needs openssl \(no openssl\)\n\n/)
      assert.match(output, /ℹ tests 24\nℹ suites 0\nℹ pass 23\nℹ fail 0\n/)
    })

    test('reruns the files of a failed process one by one, and lists those that fail again', async () => {
      const { code, output } = await runTests([], '', many)
      assert.equal(code, 1)
      assert.match(
        output,
        /Passed only when run alone:\n {2}src\/unsteady\.test\.ts\n\nFailed:\n {2}src\/wrong\.test\.ts\n\n/,
      )
      assert.match(output, /ℹ tests 26\nℹ suites 0\nℹ pass 24\nℹ fail 1\n/)
    })
  })

  test('kills a process that does not end, and counts it as failed', async () => {
    const open = await mkdtemp(join(tmpdir(), 'erace-tests-'))
    await mkdir(join(open, 'src'))
    await writeFile(join(open, 'package.json'), '{ "type": "module" }')
    const head = "import { createServer } from 'node:http'\nimport { test } from 'node:test'\n"
    const body = "test('leaves a server behind', () => { createServer().listen(0); throw new Error('x') })\n"
    await writeFile(join(open, 'src', 'open.test.ts'), head + body)
    const { code, output } = await runTests([], '', open, { ERACE_TEST_TIMEOUT_MS: '3000' })
    assert.equal(code, 1)
    assert.match(output, /leaves a server behind/)
    assert.match(output, /Failed:\n {2}src\/open\.test\.ts\n/)
    await rm(open, { recursive: true, force: true })
  })

  test('fails if a filter matches no path', async () => {
    assert.equal((await runTests(['nothing-like-it'], '')).code, 1)
  })
})
