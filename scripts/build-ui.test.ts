import assert from 'node:assert/strict'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Built, buildUi } from './build-ui.ts'

const MAX_FIRST_LOAD_BYTES = 200 * 1024

describe('built UI', () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-ui-'))
  let built: Built

  before(async () => {
    built = await buildUi(folder)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('the first load of the inbox stays under 200 KB compressed', () => {
    assert.ok(built.firstLoadBytes > 10_000, `only ${built.firstLoadBytes} bytes were counted`)
    assert.ok(built.firstLoadBytes < MAX_FIRST_LOAD_BYTES, `${built.firstLoadBytes} bytes`)
  })

  test('the page has no inline scripts or styles', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    assert.doesNotMatch(page, /<script(?![^>]*\ssrc=)/i)
    assert.doesNotMatch(page, /<style|\sstyle=|\son\w+=/i)
  })

  test('scripts and styles exist in both compressed forms, unless they are tiny', () => {
    for (const ending of ['js', 'css']) {
      const paths = globSync(`assets/*.${ending}`, { cwd: folder }).map((name) => join(folder, name))
      const large = paths.filter((path) => statSync(path).size >= 500)
      assert.ok(large.length > 0, ending)
      for (const path of large) {
        const content = readFileSync(path)
        assert.deepEqual(brotliDecompressSync(readFileSync(`${path}.br`)), content, path)
        assert.deepEqual(gunzipSync(readFileSync(`${path}.gz`)), content, path)
      }
    }
  })

  test('the files of an installable web app exist', () => {
    for (const name of ['sw.js', 'manifest.webmanifest', 'icon.svg', 'icon-192.png', 'icon-512.png']) {
      assert.ok(existsSync(join(folder, name)), name)
    }
  })
})
