import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AugmentReport } from '../../core/reports/augment-report.ts'
import { useCliFolder } from '../cli.testkit.ts'
import type { Engine } from '../engine.ts'

const report: AugmentReport = {
  ...{ folder: 'public', documents: 1200, links: 7000, volatileParts: 3, written: 1203, unchanged: 0, removed: 0 },
  ...{ skipped: [], skippedCount: 0, problems: [], problemCount: 0, seconds: 2 },
}
const engine: Partial<Engine> = {
  async augment(_, onProgress) {
    onProgress({ documents: 1100, links: 6500, written: 1102 })
    return report
  },
}

describe('erace augment', () => {
  const folder = useCliFolder()

  test('shows its progress on a terminal, and not with --quiet or --json', async () => {
    const shown = await folder.run(['augment', 'public'], { engine, columns: 80 })
    assert.match(shown.err, /^\r1,100 documents · 6,500 links · 1,102 tables written\r +\r$/)
    assert.match(shown.out, /^1,203 tables written, 0 unchanged, 0 removed: 1,200 documents/)
    for (const option of ['--quiet', '--json'])
      assert.equal((await folder.run(['augment', 'public', option], { engine, columns: 80 })).err, '')
    assert.equal((await folder.run(['augment', 'public'], { engine })).err, '')
  })

  test('an empty name does not mean the current folder', async () => {
    const { code, err } = await folder.run(['augment', ''], { engine })
    assert.equal(code, 2)
    assert.match(err, /^erace augment: DIR: give one folder/)
  })
})
