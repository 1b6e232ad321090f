import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { configOf } from '../../config/load-config.ts'
import { systemClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { chooseResolver } from './choose-resolver.ts'

const part = new URL('../parts/part.ts', import.meta.url)

test('uses a built-in resolver or one from a file, and rejects other kinds of parts', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-resolver-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const os = await chooseResolver(configOf({ 'parts.resolver': 'os' }), systemClock)
  assert.ok((await os.resolve('localhost')).addresses.length > 0)
  const path = join(folder, 'fixed.ts')
  writeFileSync(
    path,
    `import { defineResolver } from ${JSON.stringify(part.href)}
export default defineResolver({
  name: 'fixed',
  create: () => ({ resolve: async (host) => ({ addresses: host === 'a.example' ? ['192.0.2.1'] : [], ttlMs: 1000 }) }),
})
`,
  )
  const config = configOf()
  const own = await chooseResolver({ ...config, parts: { ...config.parts, resolver: path } }, systemClock)
  assert.deepEqual(await own.resolve('a.example'), { addresses: ['192.0.2.1'], ttlMs: 1000 })
  writeFileSync(join(folder, 'other.ts'), 'export default { kind: "filter", name: "x", create() {} }')
  const other = chooseResolver(
    { ...config, parts: { ...config.parts, resolver: join(folder, 'other.ts') } },
    systemClock,
  )
  await assert.rejects(other, (error) => isAppError(error, 'part-invalid') && /defineResolver/.test(error.message))
})
