import assert from 'node:assert/strict'
import { type SpawnOptions, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { importsOf } from '../scripts/source-imports.ts'
import { createSite, type Site } from './site/site.ts'

/** The packed file, installed by npm into an empty folder, as by users. */
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'erace-package-')))
const app = join(folder, 'app')
const installed = join(app, 'node_modules', 'erace')
const MAX_PACKED_BYTES = 6_000_000

/** Environment without the variables that npm sets for this project's scripts; the running Node comes first in PATH. */
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(?:package|lifecycle|config_(?:local_)?prefix|command)|^ERACE_|^INIT_CWD$/.test(name),
    ),
  ),
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
}

type End = { code: number | null; out: string; err: string }

function start(command: string, args: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(command, args, { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'], ...options })
  const ended = Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ]).then(([out, err, code]): End => ({ code, out, err }))
  return { child, ended }
}

async function run(command: string, args: readonly string[], options?: SpawnOptions): Promise<string> {
  const { code, out, err } = await start(command, args, options).ended
  assert.equal(code, 0, `${command} ${args.join(' ')}\n${out}\n${err}`)
  return out
}

/** Resolves with the first line of standard output that matches. */
function lineOf({ child, ended }: ReturnType<typeof start>, wanted: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let seen = ''
  child.stdout!.on('data', (chunk: Buffer) => {
    seen += chunk.toString()
    const line = seen.split('\n').find((each) => wanted.test(each))
    if (line !== undefined) resolve(line)
  })
  ended.then(({ code, out, err }) => reject(new Error(`ended with ${code}: ${out} ${err}`)), reject)
  return promise
}

describe('the package', () => {
  let files: string[] = []
  let packedBytes = 0
  let site: Site

  before(async () => {
    mkdirSync(app)
    writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }')
    const out = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root })
    // The output of the scripts comes before the JSON.
    const [packed] = JSON.parse(out.slice(out.search(/^\[$/m))) as {
      filename: string
      size: number
      files: { path: string }[]
    }[]
    files = packed!.files.map(({ path }) => path)
    packedBytes = packed!.size
    await run('npm', [
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--omit=optional',
      join(folder, packed!.filename),
    ])
    site = await createSite({ pages: 6 })
  })
  after(async () => {
    await site?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('contains the program, web pages, types and man page, but no sources or tests', () => {
    for (const path of [
      'bin/erace.js',
      'bin/library.js',
      'dist/main.js',
      'dist/library/index.d.ts',
      'dist/ui/index.html',
    ])
      assert.ok(files.includes(path), path)
    for (const path of ['dist/erace.1', 'dist/xml/profile.dtd', 'dist/server/picker/picker-frame.js', 'LICENSE'])
      assert.ok(files.includes(path), path)
    // npm links a man page only if `man` is an array.
    const { man } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { man: unknown }
    assert.deepEqual(man, ['dist/erace.1'])
    const needless = files.filter((path) => !/^(?:bin|dist)\/|^(?:LICENSE|README\.md|package\.json)$/.test(path))
    assert.deepEqual(needless, [])
    const sources = files.filter((path) => /(?:test|testkit)\.|(?<!\.d)\.tsx?$/.test(path))
    assert.deepEqual(sources, [])
    assert.ok(packedBytes < MAX_PACKED_BYTES, `${packedBytes} bytes`)
    const compiled = files.filter((path) => /^dist\/(?!ui\/).*\.js$/.test(path) && !path.endsWith('picker-frame.js'))
    assert.deepEqual(
      compiled.filter((path) => !files.includes(`${path}.map`)),
      [],
    )
  })

  test('contains every imported file, and declares every imported package', () => {
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      dependencies: object
    }
    const found = globSync('{bin,dist}/**/*.js', { cwd: installed, exclude: ['dist/ui/**'] }).map((path) => ({
      path,
      imports: importsOf(path, readFileSync(join(installed, path), 'utf8')),
    }))
    assert.ok(found.length > 500, `${found.length} files`)
    for (const { path, imports } of found)
      for (const { target } of imports) {
        if (target.startsWith('src/')) continue // the sources, only in a checkout
        if (/^(?:bin|dist)\//.test(target)) assert.ok(existsSync(join(installed, target)), `${path} names ${target}`)
        else if (!target.startsWith('node:')) {
          const name = target
            .split('/')
            .slice(0, target.startsWith('@') ? 2 : 1)
            .join('/')
          assert.ok(Object.hasOwn(dependencies, name), `${path} imports ${name}`)
        }
      }
  })

  test('crawls and searches through npx, and has source maps', async () => {
    assert.match(await run('npx', ['--no-install', 'erace', '--help']), /^erace \d+\.\d+\.\d+: web watcher/)
    const args = [
      '--no-install',
      'erace',
      'crawl',
      `${site.origin()}/`,
      '--allow-net',
      '127.0.0.0/8',
      '--delay',
      '0',
      '--json',
    ]
    const result = JSON.parse(await run('npx', args)) as { stored: number; finished: boolean }
    assert.deepEqual([result.stored, result.finished], [6, true])
    const { total } = JSON.parse(await run('npx', ['--no-install', 'erace', 'search', 'page', '--json'])) as {
      total: number
    }
    assert.ok(total > 0)
    const map = JSON.parse(readFileSync(join(installed, 'dist/main.js.map'), 'utf8')) as { sourcesContent: string[] }
    assert.ok(map.sourcesContent[0]!.includes('runCli'))
  })

  test('serves its pages, and passes the health check of the image', async () => {
    const service = start(join(app, 'node_modules/.bin/erace'), ['up', '--port', '0', '--json'])
    try {
      const { url } = JSON.parse(await lineOf(service, /"url"/)) as { url: string }
      assert.equal((await fetch(`${url}/readyz`)).status, 200)
      const page = await (await fetch(url)).text()
      const asset = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1]
      assert.ok(asset !== undefined, page)
      assert.equal((await fetch(url + asset)).status, 200)
      // The health check of the image, on this port.
      const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
      const [, probe] = /CMD \["node", "--eval", "(.+)"\]/.exec(dockerfile)!
      await run('node', ['--eval', probe!.replace('127.0.0.1:7070', new URL(url).host)])
      assert.match(dockerfile, /^USER node$[\s\S]*^ENTRYPOINT \["erace"\]\nCMD \["up"\]$/m)
    } finally {
      service.child.kill('SIGINT')
    }
    assert.equal((await service.ended).code, 0)
  })

  test('starts with the bundled Node if the current one is too old, even through a symlink', async () => {
    const bundled = join(app, 'node_modules', `node-${process.platform}-${process.arch}`)
    mkdirSync(join(bundled, 'bin'), { recursive: true })
    writeFileSync(join(bundled, 'package.json'), '{}')
    writeFileSync(join(bundled, 'bin/node'), `#!/bin/sh\necho bundled >&2\nexec "${process.execPath}" "$@"\n`)
    chmodSync(join(bundled, 'bin/node'), 0o755)
    mkdirSync(join(folder, 'bin'))
    symlinkSync(join(installed, 'bin/erace.js'), join(folder, 'bin/erace'))
    const { code, out, err } = await start(join(folder, 'bin/erace'), ['--version'], {
      env: { ...env, ERACE_TEST_RELAUNCH: '1' },
    }).ended
    rmSync(bundled, { recursive: true })
    assert.deepEqual([code, err], [0, 'bundled\n'])
    assert.match(out, /^\d+\.\d+\.\d+\n$/)
  })

  test('the library examples print the output shown in their READMEs', async () => {
    const examples = globSync('examples/library-*', { cwd: root }).sort()
    assert.ok(examples.length >= 3)
    for (const path of examples) cpSync(join(root, path), join(app, basename(path)), { recursive: true })
    for (const path of examples) {
      const readme = readFileSync(join(root, path, 'README.md'), 'utf8')
      const shown = /^ {4}\$ node (\S+)\n((?: {4}.*\n)+)/m.exec(readme)
      assert.ok(shown !== null, `${path}: no command`)
      const example = start('node', [shown[1]!], { cwd: join(app, basename(path)) })
      // It prints its last line when it is stopped.
      if (shown[2]!.endsWith('stopped\n'))
        void lineOf(example, /^ready$/).then(
          () => example.child.kill('SIGINT'),
          () => {},
        )
      const { code, out, err } = await example.ended
      assert.deepEqual([code, err, out], [0, '', shown[2]!.replaceAll(/^ {4}/gm, '')], path)
    }
  })

  test('has types that pass strict checks, and can be loaded with require', async () => {
    writeFileSync(join(app, 'consumer.ts'), consumer)
    const types = join(root, 'node_modules/@types')
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2024', lib: ['es2024', 'esnext.disposable'], strict: true, noEmit: true },
      ...{ skipLibCheck: false, exactOptionalPropertyTypes: true, types: ['node'], typeRoots: [types] },
    }
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
    await run('node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', app])
    const names = await run('node', ['-e', "console.log(typeof require('erace').crawl)"])
    assert.equal(names, 'function\n')
  })
})

/** Compiled, not run. Each line marked as an error must be one. */
const consumer = `
import { type ArchivedPage, type ConfigInput, crawl, crawlPages, defineConfig, defineFilter, defineModule, isAppError, openArchive, startService } from 'erace'

const config: ConfigInput = defineConfig({ crawl: { delay: '2s', order: 'breadth' }, retention: { age: '90d' } })
// @ts-expect-error: no such order
defineConfig({ crawl: { order: 'sideways' } })
// @ts-expect-error: no such setting
defineConfig({ crawl: { dealy: 2 } })

const titles = new Map<string, string>()
const { pages, stored } = await crawl({ seeds: 'https://example.org/', config }, { onPage: (page: ArchivedPage) => titles.set(page.url, page.title) })
const sum: number = pages.handled + stored
for await (const page of crawlPages({ seeds: ['https://example.org/'], maxPages: sum })) {
  const text: string | null = await page.text()
  if (text?.includes('x')) break
}
await using archive = await openArchive('erace-data')
const n: number | undefined = (await archive.search('x')).items[0]?.n
export const filter = defineFilter({ name: 'short', create: () => ({ accepts: (url) => url.length < (n ?? 100) }) })
export default defineModule({ name: 'count', types: ['text/html'], process: (page) => void titles.set(page.url, page.type) })
try {
  const service = await startService({ config })
  await service.stop()
} catch (error) {
  if (!isAppError(error) || error.code !== 'store-locked') throw error
}
`
