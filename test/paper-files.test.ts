import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { CrawlResult } from '../src/core/reports/crawl-report.ts'
import { startNameServer } from '../src/crawl/dns/name-server.testkit.ts'
import { readResult, startErace } from './kit/erace.ts'
import { newFolder, runCrawl, type Settings } from './site/crawl-run.ts'

/** The files and command lines described in the papers, with the whole command against a real origin. */
type Page = { type?: string; links?: string[] }

async function siteOf(t: TestContext, pages: Record<string, Page>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const page = new Map(Object.entries(pages)).get(path)
    if (path !== '/robots.txt') asked.push(path)
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': page?.type ?? 'text/html' })
    // Every body differs, since only URLs are compared here.
    response.end(`${path}${(page?.links ?? []).map((link) => `<a href="${link}">x</a>`).join('')}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, port, asked: () => asked.splice(0).toSorted() }
}

function fileOf(name: string, text: string): string {
  const path = join(newFolder(), name)
  writeFileSync(path, text)
  return path
}

async function crawl(seeds: string[], options: string[] = [], settings: Settings = {}) {
  return (await runCrawl(seeds, { options, settings })).result
}

async function run(args: string[], env: Record<string, string> = {}) {
  const end = await startErace([...args, '--data', join(newFolder(), 'data')], env).ended
  return { ...end, result: readResult(end) as CrawlResult | undefined }
}

describe("Apache's mime.types", () => {
  const types = [
    '# MIME type (lowercased)\t\t\tExtensions',
    '# ============================================',
    '# application/activemessage',
    'text/html\t\t\t\t\thtml htm',
    'image/png\t\t\t\t\tpng',
    'application/vnd.example+json',
  ].join('\n')

  test('sets the types to collect, and its extensions override the built-in ignore list', async (t) => {
    const site = await siteOf(t, {
      '/': { links: ['/a.png', '/b.gif', '/c.pdf', '/d'] },
      '/a.png': { type: 'image/png' },
      '/b.gif': { type: 'image/gif' },
      '/c.pdf': { type: 'application/pdf' },
      '/d': { type: 'application/vnd.example+json' },
    })
    const mime = fileOf('mime.types', types)
    const result = await crawl([`${site.origin}/`], ['--mime', mime])
    assert.deepEqual(site.asked(), ['/', '/a.png', '/c.pdf', '/d'])
    assert.deepEqual([result.stored, result.skipped.type], [3, 2])
  })

  test('is overridden by a user-supplied ignore file', async (t) => {
    const site = await siteOf(t, { '/': { links: ['/a.png', '/b.gif'] } })
    const options = ['--mime', fileOf('mime.types', types), '--ignore', fileOf('ignore.types', 'png\n')]
    await crawl([`${site.origin}/`], options)
    assert.deepEqual(site.asked(), ['/', '/b.gif'])
  })
})

describe("LARM's command line", () => {
  const pages = { '/': { links: ['/in/1', '/out'] }, '/in/1': {}, '/out': {} }

  test('starts a crawl, with or without the larm subcommand', async (t) => {
    const site = await siteOf(t, pages)
    const rules = fileOf('hostResolver.properties', '#ours\nsynonym(localhost)=127.0.0.1\n')
    const start = fileOf('start.txt', `${site.origin}/\n`)
    const larm = ['-start', `@${start}`, '-restrictto', '/in/', '-threads', '3', '-hostresolver', rules]
    for (const args of [larm, ['larm', ...larm], ['-threads=3', '-start', `${site.origin}/`, '-restrictto', '/in/']]) {
      const { exitCode, result, stderr } = await run([...args, '--json', '--delay', '0', '--allow-net', '127.0.0.1'])
      assert.equal(exitCode, 0, stderr)
      assert.equal(result?.stored, 2)
      assert.deepEqual(site.asked(), ['/', '/in/1'])
    }
  })

  test('is described by --help', async () => {
    const { stdout } = await run(['larm', '--help'])
    for (const option of ['-start', '-restrictto', '-threads', '-hostresolver']) assert.ok(stdout.includes(option))
  })

  test('reports every invalid option', async () => {
    const { exitCode, stderr } = await run(
      '-server -Xmx400mb -start -restrictto ( -threads many -hostresolver none -strat x'.split(' '),
    )
    assert.equal(exitCode, 2)
    for (const expected of [
      /-server: an option of Java, not of LARM; leave it out/,
      /-Xmx400mb: an option of Java, not of LARM; leave it out/,
      /-start: needs a value: URL\|@FILE/,
      /-restrictto: invalid regular expression/,
      /-threads: expected a whole number from 1 to 10000, not "many"/,
      /-hostresolver none: no such file/,
      /-strat: unknown option; did you mean -start\?/,
    ])
      assert.match(stderr, expected)
  })
})

describe("LARM's normalisations", () => {
  const pages = {
    '/': { links: ['/Docs/A', '/docs/a', '/docs/index.html', '/docs/', '/x//y', '/x/y'] },
    '/Docs/A': {},
    '/docs/a': {},
    '/docs/index.html': {},
    '/docs/': {},
    '/x//y': {},
    '/x/y': {},
  }

  test('are off by default, except for collapsing slashes', async (t) => {
    const site = await siteOf(t, pages)
    await crawl([`${site.origin}/`])
    assert.deepEqual(site.asked(), ['/', '/Docs/A', '/docs/', '/docs/a', '/docs/index.html', '/x//y'])
  })

  test('apply to the comparison of URLs, not to requests', async (t) => {
    const site = await siteOf(t, pages)
    await crawl([`${site.origin}/`], ['--lowercase-paths', '--drop-index-names'])
    assert.deepEqual(site.asked(), ['/', '/Docs/A', '/docs/index.html', '/x//y'])
    await crawl([`${site.origin}/`], [], { crawl: { lowercasePaths: true, collapseSlashes: false } })
    assert.deepEqual(site.asked(), ['/', '/Docs/A', '/docs/', '/docs/index.html', '/x//y', '/x/y'])
  })

  test('also apply to the URL passed to show', async (t) => {
    const site = await siteOf(t, pages)
    const data = join(newFolder(), 'data')
    await runCrawl([`${site.origin}/`], { data, options: ['--lowercase-paths', '--drop-index-names'] })
    const env = { ERACE_CRAWL_LOWERCASEPATHS: 'true', ERACE_CRAWL_DROPINDEXNAMES: 'true' }
    const shown = await startErace(['show', `${site.origin}/DOCS/Default.htm`, '--data', data], env).ended
    assert.equal(shown.stdout, '/docs/index.html', shown.stderr)
  })
})

describe("WebRACE's settings", () => {
  test('set the defaults of a crawl, with lists inline or in files next to the configuration', async (t) => {
    const site = await siteOf(t, {
      '/': { links: ['/a', '/b.txt', '/c.old', '/private/d'] },
      '/a': { links: ['/deep'] },
      '/b.txt': { type: 'text/plain' },
    })
    const folder = newFolder()
    writeFileSync(join(folder, 'seeds.txt'), `# start page\n${site.origin}/\n`)
    writeFileSync(join(folder, 'block.txt'), `${site.origin}/private/\n`)
    const config = join(folder, 'webrace.json')
    writeFileSync(
      config,
      JSON.stringify({
        crawl: {
          ...{ seeds: ['@seeds.txt'], depth: 1, mime: ['text/html html'], ignore: ['old'], block: ['@block.txt'] },
          delay: 0,
        },
      }),
    )
    const { exitCode, result, stderr } = await run(['crawl', '--config', config, '--json'])
    assert.equal(exitCode, 0, stderr)
    assert.deepEqual(site.asked(), ['/', '/a', '/b.txt'])
    assert.deepEqual([result?.stored, result?.skipped.type, result?.skipped.blocked], [2, 2, 1])
    const deeper = await run(['crawl', '--config', config, '--json', '--depth', '2', '--block', fileOf('b', '')])
    assert.equal(deeper.exitCode, 0, deeper.stderr)
    assert.deepEqual(site.asked(), ['/', '/a', '/b.txt', '/deep', '/private/d'])
  })

  test('can come from the environment', async (t) => {
    const site = await siteOf(t, { '/': { links: ['/a.old', '/b'] } })
    const env = {
      ERACE_CRAWL_SEEDS: `${site.origin}/,@${fileOf('more.txt', `${site.origin}/c\n`)}`,
      ERACE_CRAWL_IGNORE: '.old,zip',
      ERACE_CRAWL_DELAY: '0',
    }
    const { exitCode, stderr } = await run(['crawl', '--json'], env)
    assert.equal(exitCode, 0, stderr)
    assert.deepEqual(site.asked(), ['/', '/b', '/c'])
  })

  test('are all validated before anything starts', async () => {
    const settings = { crawl: { seeds: ['telnet://a.example/'], depth: -1, mime: ['html'], block: ['@none.txt'] } }
    const config = fileOf('bad.json', JSON.stringify(settings))
    const { exitCode, stderr } = await run(['crawl', '--config', config])
    assert.equal(exitCode, 2)
    assert.match(stderr, /crawl\.depth: expected a whole number/)
    assert.match(stderr, /crawl\.seeds: telnet:\/\/a\.example\/: telnet: can't be crawled/)
    assert.match(stderr, /crawl\.block: .*none\.txt: no such file/)
    const up = await run(['up', '--port', '0', '--config', fileOf('bad.json', '{"crawl":{"mime":["html"]}}')])
    assert.equal(up.exitCode, 2)
    assert.match(up.stderr, /no media type: "html"/)
  })
})

describe('a filter in the configuration', () => {
  test('combines conditions, and counts rejected URLs as out of scope', async (t) => {
    const links = ['/docs/a.html', '/docs/b.php', '/news/c.html', '/news/draft/d.html', '/other/e.html']
    const site = await siteOf(t, { '/': { links: [...links, '/news/a-very-long-address-of-a-page.html'] } })
    const filter = {
      all: [
        { any: [{ prefix: `${site.origin}/docs/` }, { url: '^http://[^/]+/news/' }] },
        { not: { any: [{ url: '/draft/' }, { suffix: 'php' }] } },
        { host: '127.0.0.1' },
        { protocol: 'http' },
        { length: { max: site.origin.length + 25 } },
      ],
    }
    const { skipped } = await crawl([`${site.origin}/`], [], { crawl: { filter } })
    assert.deepEqual(site.asked(), ['/', '/docs/a.html', '/news/c.html'])
    assert.equal(skipped.scope, 4)
  })

  test('reports all errors before anything starts', async () => {
    const filter = { all: [{ url: '(' }, { hots: 'a' }, { any: [] }, { protocol: 'gopher' }, {}, 7] }
    const { exitCode, stderr } = await run(['crawl', 'http://a.example/'], {
      ERACE_CRAWL_FILTER: JSON.stringify(filter),
    })
    assert.equal(exitCode, 2)
    for (const expected of [
      /ERACE_CRAWL_FILTER\.all\[0\]\.url: /,
      /ERACE_CRAWL_FILTER\.all\[1\]\.hots: unknown condition; did you mean host\?/,
      /ERACE_CRAWL_FILTER\.all\[2\]\.any: expected a list of 1 to 1000 conditions/,
      /ERACE_CRAWL_FILTER\.all\[3\]\.protocol: expected http or https/,
      /ERACE_CRAWL_FILTER\.all\[4\]: expected one condition/,
      /ERACE_CRAWL_FILTER\.all\[5\]: expected one condition/,
    ])
      assert.match(stderr, expected)
  })
})

describe('the name server setting', () => {
  test('resolves the hosts of a crawl, and the address guard still applies', async (t) => {
    const site = await siteOf(t, { '/': { links: [] } })
    const names = await startNameServer((name) => ({
      addresses: name === 'crawl.example' ? ['127.0.0.1'] : name === 'inner.example' ? ['127.0.0.2'] : [],
    }))
    t.after(() => names.close())
    const seed = `http://crawl.example:${site.port}/`
    const settings = { network: { nameservers: [names.server] } }
    assert.equal((await crawl([seed], ['--allow-net', '127.0.0.1'], settings)).stored, 1)
    assert.deepEqual(site.asked(), ['/'])
    assert.ok(names.questions.includes('crawl.example A'))

    const inner = await siteOf(t, { '/': { links: [`http://inner.example:${site.port}/`] } })
    const { skipped } = await crawl([`${inner.origin}/`], ['--restrict', '.'], settings)
    assert.equal(skipped.address, 1)
  })

  test('takes IP addresses with or without a port, but no host names', async (t) => {
    const site = await siteOf(t, { '/': {} })
    const crawlWith = (servers: string) =>
      run(['crawl', `${site.origin}/`, '--json', '--delay', '0'], { ERACE_NETWORK_NAMESERVERS: servers })
    const valid = '192.0.2.53,192.0.2.53:5353,2001:db8::53,[2001:db8::53],[2001:db8::53]:5353'
    const { result, stderr } = await crawlWith(valid)
    assert.equal(result?.stored, 1, stderr)
    for (const invalid of ['dns.example', '192.0.2.53:0', '[192.0.2.53]:53']) {
      const { exitCode, stdout } = await crawlWith(`192.0.2.53,${invalid}`)
      assert.equal(exitCode, 2, invalid)
      assert.match(
        stdout,
        /ERACE_NETWORK_NAMESERVERS: expected a list of addresses such as 192\.0\.2\.53 or \[2001:db8::53\]:5353/,
      )
    }
  })
})
