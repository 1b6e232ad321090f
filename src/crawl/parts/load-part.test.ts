import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { loadPart } from './load-part.ts'

const folder = mkdtempSync(join(tmpdir(), 'erace-parts-'))
after(() => rmSync(folder, { recursive: true }))
const define = new URL('./part.ts', import.meta.url).href

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, `import { defineFilter, defineModule } from ${JSON.stringify(define)}\n${text}`)
  return path
}

const fault = (path: string, pattern: RegExp) => (error: unknown) =>
  isAppError(error, 'part-invalid') && error.message.startsWith(path) && pattern.test(error.message)

describe('a part file', () => {
  test('is loaded from its default export', async () => {
    const path = file('good.ts', `export default defineModule({ name: 'good', process(): void {} })`)
    const part = await loadPart('module', path)
    assert.deepEqual([part.kind, part.name], ['module', 'good'])
  })

  test('is rejected with a typed error that names the file if it is invalid', async () => {
    const filter = file(
      'filter.ts',
      `export default defineFilter({ name: 'f', create: () => ({ accepts: () => true }) })`,
    )
    await assert.rejects(loadPart('module', filter), fault(filter, /made by defineModule.*kind filter/))
    const texts = {
      'empty.ts': ['', /made by defineModule/],
      'number.ts': ['export default 1', /made by defineModule/],
      'name.ts': [`export default { ...defineModule({ name: '../x', process() {} }) }`, /its name/],
      'half.ts': [`export default { kind: 'module', name: 'x' }`, /no method process/],
      'throws.ts': [`throw new Error('no luck')`, /cannot be loaded: no luck/],
      'syntax.ts': ['export default {', /cannot be loaded/],
      'kind.ts': [`export default { kind: '__proto__', name: 'x' }`, /made by defineModule/],
    } as const
    for (const [name, [text, pattern]] of Object.entries(texts)) {
      const path = file(name, text)
      await assert.rejects(loadPart('module', path), fault(path, pattern), name)
    }
    const missing = join(folder, 'missing.ts')
    await assert.rejects(loadPart('module', missing), fault(missing, /cannot be loaded/))
  })
})
