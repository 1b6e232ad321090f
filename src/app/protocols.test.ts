import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withSeedFolders } from './protocols.ts'

test('folders named as seeds may be read; a URL that names none is left to fail by itself', () => {
  const config = { files: { roots: ['/srv'] } }
  const seeds = ['file:///tmp/a%20folder/', 'https://example.org/', 'file://server/share/', 'file:///tmp/a%2Fb']
  assert.deepEqual(withSeedFolders(config, seeds).files.roots, ['/srv', '/tmp/a folder'])
})
