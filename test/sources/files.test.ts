import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { until } from '../watch/up-run.ts'
import { engines, withWorld } from '../watch/world.ts'

const profile = (uri: string) => ({
  name: 'Files',
  sources: [{ uri, every: '200ms', depth: 3, scope: 'host', process: 'track' }],
})

for (const [engine, start] of Object.entries(engines)) {
  describe(`a file tree, ${engine}`, () => {
    test('reports each new, changed and removed file once', async () => {
      const root = await mkdtemp(join(tmpdir(), 'erace-files-'))
      await mkdir(join(root, 'below'))
      await writeFile(join(root, 'first.txt'), 'The first file.\n')
      await withWorld(
        start,
        {},
        async ({ me, told }) => {
          await me.ask('POST', '/profiles', profile(`${pathToFileURL(root)}/`))
          await until('the first file is kept', async () => (await inbox(me)).length === 1)
          await writeFile(join(root, 'second.txt'), 'The second file, which is new.\n')
          await writeFile(join(root, 'below', 'third.txt'), 'The third file, in a folder below.\n')
          await until('two new files are told', async () => (await told()).length === 2)
          // Renamed into place: a check would find a file that is being written empty, which is a change too.
          await writeFile(`${root}.new`, 'The first file has other words now.\n')
          await rename(`${root}.new`, join(root, 'first.txt'))
          await until('a change is told', async () => (await told()).length === 3)
          const change = (await told())[2]!
          assert.match(change.url, /first\.txt$/)
          assert.match(change.summary.text, /other words now/)
          await rm(join(root, 'below'), { recursive: true })
          await until('a removed file is told', async () => (await told()).length === 4)
          assert.deepEqual((await told()).map(({ url }) => url.slice(url.lastIndexOf('/') + 1)).sort(), [
            'first.txt',
            'second.txt',
            'third.txt',
            'third.txt',
          ])
        },
        { ERACE_FILES_ROOTS: root, ERACE_SCHEDULE_MINEVERY: '200ms' },
      )
      await rm(root, { recursive: true })
    })
  })
}

for (const [engine, start] of Object.entries(engines)) {
  test(`push reports a new file before the next scan of its folder, ${engine}`, async () => {
    const root = await mkdtemp(join(tmpdir(), 'erace-files-'))
    await writeFile(join(root, 'first.txt'), 'The first file.\n')
    await withWorld(
      start,
      {},
      async ({ me, told }) => {
        const { sources, name } = profile(`${pathToFileURL(root)}/`)
        const pushed = { ...sources[0], every: '1d', method: 'push' }
        await me.ask('POST', '/profiles', { name, sources: [pushed] })
        await until('the first file is kept', async () => (await inbox(me)).length === 1)
        await writeFile(join(root, 'second.txt'), 'The second file, which is new.\n')
        await until('the new file is told', async () => (await told()).length === 1)
        assert.match((await told())[0]!.url, /second\.txt$/)
      },
      { ERACE_FILES_ROOTS: root },
    )
    await rm(root, { recursive: true })
  })
}

async function inbox(me: { ask<T>(method: string, path: string): Promise<T> }): Promise<unknown[]> {
  return (await me.ask<{ items: unknown[] }>('GET', '/annotations?limit=200')).items
}
