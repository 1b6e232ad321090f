import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { emptyResult, useCliFolder } from '../cli.testkit.ts'
import type { CrawlHooks } from '../engine.ts'

const snapshot = { fetched: 1, stored: 1, failed: 0, queued: 2, bytes: 3000, hostsActive: 1, hostsResting: 0 }

describe('erace crawl', () => {
  const folder = useCliFolder({
    'seeds.txt': '# ours\nhttp://a.example/\r\n\n  https://b.example/x#y \nhttp://a.example/\n',
    'noted-seeds.txt': 'http://a.example/ # the start page\nhttp://a.example/b\t#  http://a.example/c\n  # no more\n',
    'bad-seeds.txt': 'http://a.example/\nexample.org\nmailto:a@b.example\n',
    'empty.txt': '# nothing\n',
    'mime.types': 'text/*\n',
    'block.txt': '.ads.example\n',
    'latin.txt': Uint8Array.of(0x61, 0xe9, 0x62),
  })

  async function settingsOf(...argv: string[]): Promise<CrawlSettings> {
    let seen: CrawlSettings | undefined
    const engine = {
      crawl: async (settings: CrawlSettings) => {
        seen = settings
        return emptyResult
      },
    }
    const { code, err } = await folder.run(['crawl', ...argv], { engine })
    assert.equal(code, 0, err)
    return seen!
  }

  test('takes seeds from the command line and from files, each once', async () => {
    const { seeds } = await settingsOf('http://c.example/', '@seeds.txt')
    assert.deepEqual(seeds, ['http://c.example/', 'http://a.example/', 'https://b.example/x#y'])
  })

  test('a comment may follow a seed in a file', async () => {
    const { seeds } = await settingsOf('@noted-seeds.txt')
    assert.deepEqual(seeds, ['http://a.example/', 'http://a.example/b'])
  })

  test('an expression that only JavaScript can match, or an empty one, is reported with all other errors', async () => {
    const refused = await folder.run(['crawl', 'http://a.example/', '--restrict', '^http(?!s)', '--depth', 'x'])
    assert.equal(refused.code, 2)
    assert.match(refused.err, /^erace crawl: --depth: expected/m)
    assert.match(refused.err, /^erace crawl: --restrict: regular expressions cannot have \(\?!s here/m)
    const empty = await folder.run(['larm', '-start', 'http://a.example/', '-restrictto', ''])
    assert.equal(empty.code, 2)
    assert.match(empty.err, /^erace larm: -restrictto: is empty and would match every URL/)
  })

  test('leaves every setting to the configuration if no options are given', async () => {
    const { depth, restrict, maxPages, files, config } = await settingsOf('http://a.example/')
    assert.deepEqual({ depth, restrict, maxPages }, { depth: null, restrict: null, maxPages: null })
    assert.deepEqual(files, { mimeTypes: null, ignoreTypes: null, blockList: null, hostRules: null })
    assert.equal(config.crawl.respectRobots, true)
  })

  test('reads its options', async () => {
    const { config, depth, restrict, maxPages, files } = await settingsOf(
      ...['http://a.example/', '--depth', '2', '--restrict', '^http://a', '--max-pages', '9', '--fetchers', '8'],
      ...['--threads', '1', '--per-host', '3', '--delay', '250', '--host-rules', 'block.txt', '--mime', 'mime.types'],
      ...'--ignore seeds.txt --block block.txt --max-body 64KiB --user-agent bot/2 --no-robots'.split(' '),
      ...['--order', 'depth', '--allow-net', '127.0.0.0/8', '--allow-net', '10.1.2.3'],
    )
    assert.deepEqual({ depth, restrict, maxPages }, { depth: 2, restrict: '^http://a', maxPages: 9 })
    const { fetchers, threads, perHost, delayMs, maxBodyBytes, userAgent, respectRobots, order } = config.crawl
    assert.deepEqual([fetchers, threads, perHost, delayMs, maxBodyBytes], [8, 1, 3, 250, 65_536])
    assert.deepEqual([userAgent, respectRobots, order], ['bot/2', false, 'depth'])
    assert.deepEqual(config.network.allow, ['127.0.0.0/8', '10.1.2.3/32'])
    assert.equal(files.mimeTypes, 'text/*\n')
    assert.equal(files.blockList, '.ads.example\n')
    assert.equal(files.hostRules, '.ads.example\n')
    assert.match(files.ignoreTypes!, /ours/)
  })

  test('reports all errors at once and does not start', async () => {
    const { code, err } = await folder.run([
      ...['crawl', '@bad-seeds.txt', '@none.txt', '@empty.txt', 'http://', '--restrict', '(', '--depth', '-1'],
      ...'--max-pages 0 --mime none --block . --ignore latin.txt --delay -5 --allow-net home'.split(' '),
    ])
    assert.equal(code, 2)
    const errors = err.split('\n').map((line) => line.replace('erace crawl: ', ''))
    for (const expected of [
      /^bad-seeds\.txt:2: example\.org: not a URL; did you mean https:\/\/example\.org\?$/,
      /^bad-seeds\.txt:3: mailto:a@b\.example: mailto: can't be crawled/,
      /^@none\.txt: no such file$/,
      /^empty\.txt: contains no seeds$/,
      /^http:\/\/: not a URL$/,
      /^--restrict: invalid regular expression: \/\(\/: Unterminated group$/,
      /^--depth: expected a whole number from 0 to 999999999, not "-1"$/,
      /^--max-pages: expected a whole number from 1 /,
      /^--mime none: no such file$/,
      /^--block \.: is a folder$/,
      /^--ignore latin\.txt: is not UTF-8 text$/,
      /^--delay: expected a duration from 0ms to 1d/,
      /^--allow-net: expected a list of networks/,
    ]) {
      assert.ok(
        errors.some((error) => expected.test(error)),
        `${expected} in\n${err}`,
      )
    }
    assert.equal(errors.length, 13 + 2)
  })

  test('needs a seed', async () => {
    assert.match((await folder.run(['crawl'])).err, /SEED: give at least one URL/)
  })

  test('shortens a long list of invalid seeds', async () => {
    const { err } = await folder.run(['crawl', ...Array.from({ length: 70 }, (_, i) => `telnet://h${i}.example/`)])
    assert.match(err, /\nerace crawl: and 20 more\n/)
  })

  test('prints only the result to standard output with --json', async () => {
    const engine = {
      crawl: async (_: CrawlSettings, { log, onProgress }: CrawlHooks) => {
        log.info('at work')
        onProgress(snapshot)
        return { ...emptyResult, fetched: 3 }
      },
    }
    const { code, out, err, listening } = await folder.run(['crawl', 'http://a.example/', '--json'], { engine })
    assert.equal(code, 0)
    assert.equal(listening, 0)
    assert.deepEqual(JSON.parse(out), { ...emptyResult, fetched: 3 })
    assert.equal(JSON.parse(err).msg, 'at work')
  })

  test('fails if all pages failed, but not if one was stored', async () => {
    const resultOf = (stored: number) => ({ crawl: async () => ({ ...emptyResult, failed: 2, stored }) })
    const codeOf = async (stored: number) =>
      (await folder.run(['crawl', 'http://a.example/'], { engine: resultOf(stored) })).code
    assert.deepEqual([await codeOf(0), await codeOf(1)], [1, 0])
  })

  test('shows a progress line on a terminal, and clears it at the end', async () => {
    const engine = {
      crawl: async (_: CrawlSettings, { log, onProgress }: CrawlHooks) => {
        onProgress(snapshot)
        log.warn('a host rests')
        return emptyResult
      },
    }
    const { out, err } = await folder.run(['crawl', 'http://a.example/'], {
      engine,
      columns: 100,
      env: { NO_COLOR: '1' },
    })
    assert.match(err, /^\r0\.0 pages\/s · 1 fetched · 2 queued/)
    assert.match(err, /\r +\r\[[\d:]+\] WARN: a host rests\n\r0\.0 pages\/s/)
    assert.match(err, /\r +\r$/)
    assert.ok(!err.includes('\u001b'))
    assert.match(out, /^Crawl finished/)
  })

  test('prints only the result and errors with --quiet', async () => {
    const engine = {
      crawl: async (_: CrawlSettings, { log, onProgress }: CrawlHooks) => {
        onProgress(snapshot)
        log.info('at work')
        log.error('disk full')
        return emptyResult
      },
    }
    const { out, err } = await folder.run(['crawl', 'http://a.example/', '-q'], { engine, columns: 100 })
    assert.match(err, /^[^\r]*disk full[^\r]*\n$/)
    assert.match(out, /^Crawl finished/)
  })

  test('clears the progress line and removes its listeners if it fails', async () => {
    const engine = {
      crawl: async (_: CrawlSettings, { onProgress }: CrawlHooks) => {
        onProgress(snapshot)
        throw new Error('broken')
      },
    }
    const { code, err, listening } = await folder.run(['crawl', 'http://a.example/'], { engine, columns: 100 })
    assert.equal(code, 1)
    assert.equal(listening, 0)
    assert.match(err, /\r +\rerace crawl: internal error: broken\n/)
  })

  test('prints its result and exits with 130 if it is interrupted', async () => {
    const here = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
    const program = `
      import { runCli } from ${here('../run-cli.ts')}
      import { createProcessIo } from ${here('../output/io.ts')}
      import { emptyResult, engineWith } from ${here('../cli.testkit.ts')}
      const engine = engineWith({
        crawl: (settings, { signal }) => new Promise((resolve) => {
          const alive = setInterval(() => {}, 60_000)
          signal.addEventListener('abort', () => {
            clearInterval(alive)
            resolve({ ...emptyResult, finished: false, interrupted: true })
          })
          process.stderr.write('ready')
        }),
      })
      const argv = ['crawl', 'http://a.example/', '--json']
      process.exitCode = await runCli({ argv, env: {}, cwd: '.', io: createProcessIo(process), engine })
    `
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], { cwd: folder.cwd })
    const out: Buffer[] = []
    child.stdout.on('data', (data) => out.push(data))
    const closed = once(child, 'close')
    await once(child.stderr, 'data')
    child.kill('SIGINT')
    const [code] = await closed
    assert.equal(code, 130)
    const { finished, interrupted } = JSON.parse(Buffer.concat(out).toString())
    assert.deepEqual({ finished, interrupted }, { finished: false, interrupted: true })
  })
})
