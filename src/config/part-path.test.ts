import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { readConfig } from './load-config.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'erace-parts-')))
after(() => rmSync(root, { recursive: true }))
const folder = join(root, 'site')
mkdirSync(join(folder, 'deep'), { recursive: true })
writeFileSync(join(root, 'outside.ts'), 'export default {}')
writeFileSync(join(folder, 'part.ts'), 'export default {}')
writeFileSync(join(folder, 'deep', 'part.mjs'), 'export default {}')
writeFileSync(join(folder, 'part.sh'), '')
symlinkSync('../outside.ts', join(folder, 'link.ts'))
symlinkSync('..', join(folder, 'up'))
symlinkSync('deep/part.mjs', join(folder, 'near.mjs'))

async function messagesOf(parts: Record<string, unknown>): Promise<string[]> {
  writeFileSync(join(folder, 'erace.config.json'), JSON.stringify({ parts }))
  const { errors } = await readConfig({ cwd: folder, env: {} })
  return errors.map(({ place, message }) => `${place}: ${message}`)
}

describe('parts in the configuration', () => {
  test('are files in the configuration folder and become absolute paths', async () => {
    const parts = { modules: ['./part.ts', './deep/part.mjs', './near.mjs'], storage: ['archive', './part.ts'] }
    assert.deepEqual(await messagesOf(parts), [])
    const { config } = await readConfig({ cwd: root, file: 'site/erace.config.json', env: {} })
    assert.deepEqual(
      config.parts.modules,
      ['part.ts', 'deep/part.mjs', 'deep/part.mjs'].map((name) => join(folder, name)),
    )
    assert.deepEqual(config.parts.storage, ['archive', join(folder, 'part.ts')])
    assert.deepEqual(structuredClone(config.parts), config.parts, 'threads can be given them')
  })

  test('are rejected outside that folder: above it, by absolute path or through symbolic links', async () => {
    for (const path of ['./../outside.ts', './deep/../../outside.ts', './link.ts', './up/outside.ts'])
      assert.match((await messagesOf({ filters: [path] })).join(), /parts.filters: .*(without \.\.|leads out)/, path)
    for (const path of [join(folder, 'part.ts'), '/etc/passwd', '../outside.ts', 'part.ts', 'file:///x.ts', './a\0.ts'])
      assert.match((await messagesOf({ filters: [path] })).join(), /expected a list of paths/, path)
  })

  test('must exist and be TypeScript or JavaScript files', async () => {
    const messages = await messagesOf({ modules: ['./missing.ts', './part.sh'], resolver: './deep' })
    assert.deepEqual(messages, [
      'erace.config.json, parts.modules: ./missing.ts: no such file',
      'erace.config.json, parts.modules: ./part.sh: must end in .ts, .mts, .js, .mjs',
      'erace.config.json, parts.resolver: ./deep: must end in .ts, .mts, .js, .mjs',
    ])
  })

  test('are files in the working directory when set in the environment', async () => {
    assert.deepEqual(await messagesOf({ modules: ['./part.ts'] }), [])
    const readWith = (path: string) =>
      readConfig({ cwd: root, file: 'site/erace.config.json', env: { ERACE_PARTS_FILTERS: path } })
    const { config, errors } = await readWith('./outside.ts')
    assert.deepEqual(errors, [])
    assert.deepEqual(config.parts.filters, [join(root, 'outside.ts')])
    assert.deepEqual(config.parts.modules, [join(folder, 'part.ts')])
    assert.deepEqual((await readWith('./part.ts')).errors, [
      { place: 'ERACE_PARTS_FILTERS', message: './part.ts: no such file' },
    ])
  })
})
